/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes input for CACTI 6.5 and 7, a file for each array of a unit, and arrays.csv, which
 * describes each array and gives its number of copies. Rules that the tools do not write down:
 *  - The first line must not be blank (the parser never ends), and no key may be missing.
 *    "Wire signalling" is read by 6.5, "Wire signaling" by 7, which also wants the block for
 *    DRAM's pins; 6.5 does not look at that.
 *  - Blocks are bytes, widths are bits. Entries of whole bytes are a block each. Of others 8 are
 *    a block if their number allows that, which adds no bit; else each is padded.
 *  - Banks are a power of two, and the size is that of all. A bank must have 64 bytes and 31
 *    entries; smaller arrays are registers, of which CACTI knows nothing: they have no file.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"
#include "../base/arena.h"
#include "../base/quote.h"

#define LEAST_ENTRIES 32
#define LEAST_BYTES 64
#define MOST_BYTES INT32_MAX

struct shape {
	uint64_t banks, block, bytes;
	uint64_t width, padding; /* bits */
};

/* A bank for each access of a cycle, at most 8; fewer if such a bank is too small for CACTI. */
static uint64_t banks_of(const struct gputm_storage *array)
{
	uint64_t banks = 8;

	while (banks > 1 && (banks > array->ports || array->entries % banks ||
			     array->entries / banks < LEAST_ENTRIES ||
			     array->entries / banks * array->bits < 8 * LEAST_BYTES))
		banks /= 2;
	return banks;
}

static struct shape shape_of(const struct gputm_storage *array)
{
	struct shape s = { .banks = banks_of(array), .width = array->bits };

	if (array->bits % 8 == 0) {
		s.block = array->bits / 8;
		s.bytes = array->entries * s.block;
	} else if (array->entries / s.banks % 8 == 0) {
		s.block = array->bits;
		s.bytes = array->entries / 8 * s.block;
	} else {
		s.block = array->bits / 8 + 1;
		s.width = 8 * s.block;
		s.bytes = array->entries * s.block;
	}
	s.padding = 8 * s.bytes - array->entries * array->bits;
	return s;
}

static bool has_file(const struct gputm_storage *array, const struct shape *s)
{
	return array->entries >= LEAST_ENTRIES && s->bytes >= LEAST_BYTES &&
	       s->bytes / s->banks <= MOST_BYTES;
}

static const char settings[] =
	"-associativity 1\n-read-write port 1\n-exclusive read port 0\n-exclusive write port 0\n"
	"-single ended read ports 0\n-search port 0\n-technology (u) 0.040\n"
	"-page size (bits) 8192\n-burst length 8\n-internal prefetch width 8\n"
	"-Data array cell type - \"itrs-hp\"\n-Data array peripheral type - \"itrs-hp\"\n"
	"-Tag array cell type - \"itrs-hp\"\n-Tag array peripheral type - \"itrs-hp\"\n"
	"-operating temperature (K) 350\n-cache type \"ram\"\n-tag size (b) \"default\"\n"
	"-access mode (normal, sequential, fast) - \"normal\"\n"
	"-design objective (weight delay, dynamic power, leakage power, cycle time, area) "
	"0:0:0:100:0\n"
	"-deviate (delay, dynamic power, leakage power, cycle time, area) "
	"20:100000:100000:100000:100000\n"
	"-NUCAdesign objective (weight delay, dynamic power, leakage power, cycle time, area) "
	"100:100:0:0:100\n"
	"-NUCAdeviate (delay, dynamic power, leakage power, cycle time, area) "
	"10:10000:10000:10000:10000\n"
	"-Optimize ED or ED^2 (ED, ED^2, NONE): \"ED^2\"\n-Cache model (NUCA, UCA)  - \"UCA\"\n"
	"-NUCA bank count 0\n-Wire signalling (fullswing, lowswing, default) - \"default\"\n"
	"-Wire signaling (fullswing, lowswing, default) - \"default\"\n"
	"-Wire inside mat - \"semi-global\"\n-Wire outside mat - \"semi-global\"\n"
	"-Interconnect projection - \"conservative\"\n-Core count 8\n"
	"-Cache level (L2/L3) - \"L3\"\n"
	"-Add ECC - \"false\"\n-Print level (DETAILED, CONCISE) - \"DETAILED\"\n"
	"-Print input parameters - \"false\"\n-Force cache config - \"false\"\n"
	"-Ndwl 1\n-Ndbl 1\n-Nspd 0\n-Ndcm 1\n-Ndsam1 0\n-Ndsam2 0\n-dram_type \"DDR3\"\n"
	"-io state \"WRITE\"\n-addr_timing 1.0\n-mem_density 4\n-bus_freq 800\n-duty_cycle 1.0\n"
	"-activity_dq 1.0\n-activity_ca 0.5\n-num_dq 72\n-num_dqs 18\n-num_ca 25\n-num_clk 2\n"
	"-num_mem_dq 2\n-mem_data_width 8\n-rtt_value 10000\n-ron_value 34\n-num_bobs 1\n"
	"-capacity 80\n-num_channels_per_bob 1\n-first metric \"Cost\"\n"
	"-second metric \"Bandwidth\"\n-third metric \"Energy\"\n-DIMM model \"ALL\"\n"
	"-mirror_in_bob \"F\"\n";

static void write_shape(FILE *out, const struct sim_group *group,
			const struct gputm_storage *array, const struct shape *s)
{
	fprintf(out, "# %s, %s: %llu entries of %llu bits, accesses a cycle: %u, units: %u\n",
		group->role, array->name, (unsigned long long)array->entries,
		(unsigned long long)array->bits, array->ports, group->instances);
	if (array->apart)
		fputs("# not in the paper's own count\n", out);
	if (s->padding)
		fprintf(out, "# %llu bits of padding\n", (unsigned long long)s->padding);
	fprintf(out, "-size (bytes) %llu\n-block size (bytes) %llu\n-UCA bank count %llu\n"
		"-output/input bus width %llu\n%s", (unsigned long long)s->bytes,
		(unsigned long long)s->block, (unsigned long long)s->banks,
		(unsigned long long)s->width, settings);
}

/* The files of the folder, the index first. All of them are complete before one gets its name. */
struct export {
	const char *folder;
	struct sim_output *file;
	size_t files, room;
	int status;
};

/* Open one more file; NULL with x->status. */
static FILE *open_file(struct export *x, const char *name)
{
	struct sim_output *out;
	char path[4096];

	if (!SIM_ROOM(x->file, x->room, x->files + 1)) {
		x->status = sim_complain(SIM_FAILED, "out of memory");
		return NULL;
	}
	out = &x->file[x->files];
	snprintf(path, sizeof(path), "%s/%s", x->folder, name);
	if (!sim_output_apart("cacti", path)) {
		x->status = SIM_BAD_INPUT;
		return NULL;
	}
	x->status = sim_output_open(out, "cacti", path);
	if (x->status != SIM_DONE)
		return NULL;
	out->name = x->folder; /* in messages */
	x->files++;
	return out->file;
}

static void write_file(struct export *x, const char *name, const struct sim_group *group,
		       const struct gputm_storage *array, const struct shape *s)
{
	FILE *out = open_file(x, name);

	if (!out)
		return;
	write_shape(out, group, array, s);
	if (sim_output_finish(&x->file[x->files - 1]))
		x->status = SIM_FAILED;
}

/* "last_written-last-written_times.cfg": spaces become _. */
static void name_file(const char *role, const char *array, char *out, size_t size)
{
	char *to = out;

	snprintf(out, size, "%s-%s.cfg", role, array);
	for (const char *from = out; *from; from++) {
		char c = strchr(" :,()", *from) ? '_' : *from;

		if (c != '_' || (from[1] != '.' && to[-1] != '_'))
			*to++ = c;
	}
	*to = '\0';
}

static void write_array(struct export *x, const struct sim_group *group,
			const struct gputm_storage *array)
{
	struct shape s = shape_of(array);
	char name[160] = "below_cacti_minimum";

	if (has_file(array, &s)) {
		name_file(group->role, array->name, name, sizeof(name));
		write_file(x, name, group, array, &s);
	} else {
		s.padding = 0;
	}
	fprintf(x->file->file, "%s,%u,%llu,%llu,%u,%s,%llu,%s,\"%s\"\n", group->role,
		group->instances, (unsigned long long)array->entries,
		(unsigned long long)array->bits, array->ports, array->apart ? "yes" : "no",
		(unsigned long long)s.padding, name, array->name);
}

static void write_group(void *state, const struct sim_group *group)
{
	struct export *x = state;
	struct gputm_storage array;

	for (size_t i = 0; x->status == SIM_DONE && gputm_unit_storage(group->unit, i, &array); i++)
		if (array.entries && array.bits)
			write_array(x, group, &array);
}

/* Give all files their names, or remove them, and a folder that was made for them. */
static void close_all(struct export *x, bool made)
{
	if (x->status == SIM_DONE && sim_output_finish(x->file))
		x->status = SIM_FAILED;
	for (size_t i = 0; i < x->files; i++)
		if (sim_output_close(&x->file[i], x->status == SIM_DONE))
			x->status = SIM_FAILED;
	if (x->status != SIM_DONE && made)
		(void)rmdir(x->folder);
	sim_free(x->file);
}

int sim_report_cacti(const struct sim_report *r)
{
	const struct sim_port *units = &r->run->port;
	struct export x = { .folder = r->options->cacti };
	bool made = !mkdir(x.folder, 0777);
	FILE *index;

	if (!made && errno != EEXIST) {
		fprintf(stderr, "gputm-sim: --cacti: got \"%s\", expected a folder: %s\n",
			sim_quoted(x.folder), strerror(errno));
		return errno == ENOSPC || errno == EDQUOT ? SIM_FAILED : SIM_BAD_INPUT;
	}
	index = open_file(&x, "arrays.csv");
	if (index) {
		fputs("role,instances,entries,bits,ports,apart,padding,file,array\n", index);
		sim_each_group(units, (struct sim_grouping){ .together = true }, write_group, &x);
	}
	close_all(&x, made);
	return x.status;
}
