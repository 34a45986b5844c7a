/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record FILE...: the drive that this is linked with makes the record in each file, or the program
 * is aborted with what differs. With tests/fuzz/drive.c, and so without check.
 */
#include "tests/kit.h"

int main(int count, char **file)
{
	if (count < 2)
		return EXIT_FAILURE;
	if (kit_setup)
		kit_setup();
	for (int i = 1; i < count; i++)
		kit_record(file[i]);
	return EXIT_SUCCESS;
}
