/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FIELDS_H
#define SIM_FIELDS_H
/* Where a parameter is, over all machines, systems, mechanisms and workloads. */
#include <stdbool.h>
#include <stddef.h>

#include "../port/system.h"

/* Does no run of the system read the field? path: "" if the field has it. */
bool sim_setting_unused(const struct sim_unused *unused, const char *path, const char *field);

/* Put into out[] what has a parameter of this name, such as "; stall_lines is
 * validation_unit.stall_lines of --system getm". path: of this part only, or NULL. False, with an
 * empty out[], if nothing has one. */
bool sim_field_places(const char *path, const char *field, char *out, size_t size);
/* The same, or else the parameter that was most likely meant. */
void sim_field_meant(const char *field, char *out, size_t size);

#endif /* SIM_FIELDS_H */
