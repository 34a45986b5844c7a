# SPDX-License-Identifier: BSD-2-Clause
from m5.params import *
from m5.SimObject import SimObject


class GputmFilter(SimObject):
    type = "GputmFilter"
    cxx_header = "gputm_filter.hh"
    cxx_class = "gem5::GputmFilter"

    preset = Param.String("kilo-tm", "preset of gputm_recency_bloom(3)")
    settings = VectorParam.String([], "fields on top of it, such as entries=128")
