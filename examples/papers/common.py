# SPDX-License-Identifier: BSD-2-Clause
"""What files of this folder share: mechanisms that are off, and figures that several of them take."""
from gputm.claims import table

# Why a claim has no setting that turns its mechanism off.
LITTLE = "that something costs little, or is rare, holds without it"
ALIKE = "that two are alike holds where nothing tells them apart"
PROGRAMS = "a property of the programs, whatever runs them"
SYSTEM = "the system has no setting without it"


def only(system, *settings):
    """All points run this system, and these settings, which it has not, are left out."""
    return {"system": system, **dict.fromkeys(settings)}


# Without warp-level management, warps are neither resolved nor committed as one.
WARP_OFF = {"system.resolver": "none", "commit_unit.warp_mode": 0,
            "commit_sequencer.mode": "scalar", "commit_sequencer.pack_verdict": 0}


def best(d):
    """The fewest cycles of all limits of concurrency."""
    return d["cycles"].min("concurrency")


def at_best(d, value):
    """What a figure is at the limit of the fewest cycles."""
    return value.best(d["cycles"], "concurrency")


def local_tm(d):
    """The speed-up over one work-item at a time, and the share of attempts that are serialised."""
    speedup = (d["cycles"].sel(system="local-serialised") /
               d["cycles"].sel(system=["local-tm", "local-tm-perfect"]))
    serialised = (((d["local_tm.wavefront_attempts"] + d["local_tm.group_attempts"]) /
                   d["local_tm.begins"]).sel(system="local-tm"))
    return speedup, serialised


def local_shares(d):
    """What transactions add to the cycles of wavefronts."""
    return (((d["local_tm.begin_cycles"] + d["local_tm.access_cycles"] +
              d["local_tm.commit_cycles"]) / (4 * d["cycles"])).sel(system="local-tm"))


def local_commits(d):
    """Commits of an abort."""
    return (d["committed"] / d["aborted"]).sel(system="local-tm")


def local_tables(d, serial=None):
    """The three parts of Fig. 3, 4 and 5; serial has the paper's shares."""
    speedup, serialised = local_tm(d)
    yield table("speedup", "speed-up over one work-item at a time", speedup)
    yield table("shares", "cycles that transactions add / all cycles of wavefronts", local_shares(d))
    yield table("serial", "serialised attempts / attempts", serialised, serial)
