/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The bochner authors */

/* bochner for C and for whatever calls C: databases, other languages, services.
 *
 * Example:
 *   bochner_error error;
 *   bochner_model* model;
 *   if (bochner_load("cars.model", &model, &error) != BOCHNER_OK) {
 *     puts(error.text);
 *     return 1;
 *   }
 *   const double row[3] = {7, 1.6, 90};
 *   double price;
 *   bochner_predict(model, row, 3, &price, 1, &error);
 *   bochner_free(model);
 *
 * Link with libbochner_c (pkg-config bochner_c, or CMake's target bochner::c).
 *
 * The interface is stable: a program compiled against version V of it runs with every library whose
 * bochner_c_version() is V or more. Functions are added; none is removed, none changes its parameters or its meaning.
 *
 * A function that can fail returns a code, BOCHNER_OK if all went well, and then says in `error` what was found, what
 * was expected and what to do; `error` may be null. A function that failed has written no file. Null pointers and wrong
 * sizes are refused with BOCHNER_MISUSE. Nothing is thrown and nothing is printed.
 *
 * Any number of threads may use one model at the same time; one thread frees it, after the others. Texts are UTF-8 and
 * end with 0. Those that a model returns live as long as the model. */

#ifndef BOCHNER_C_H
#define BOCHNER_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BOCHNER_C_API __attribute__((visibility("default")))
#else
#define BOCHNER_C_API
#endif

/* The version of this interface, which programs may compare with bochner_c_version(). */
#define BOCHNER_C_VERSION 1

BOCHNER_C_API uint32_t bochner_c_version(void);
BOCHNER_C_API const char* bochner_version(void); /* the library's: "0.2.0" */

/* Codes, the same as the exit codes of the command. */
enum {
  BOCHNER_OK = 0,
  BOCHNER_MISUSE = 1, /* the call makes no sense, or the processor is too old */
  BOCHNER_DATA = 2,   /* rows or a file of rows are at fault, or a file cannot be read or written */
  BOCHNER_MODEL = 3,  /* the model or sum is broken, or is none */
  BOCHNER_MEMORY = 5,
  BOCHNER_FAULT = 70 /* a fault of bochner: please report it */
};

typedef struct bochner_error {
  int32_t code;
  char text[1020]; /* one line; a longer one is cut and ends with "..." */
} bochner_error;

/* ---- Models --------------------------------------------------------------------------------------------------------
 */

typedef struct bochner_model bochner_model;

/* The model of a file, ready to answer. *model is null if this fails. */
BOCHNER_C_API int32_t bochner_load(const char* path, bochner_model** model, bochner_error* error);
/* The same of bytes in memory, which are not kept: a model that is stored in a database. */
BOCHNER_C_API int32_t bochner_load_bytes(const void* bytes, size_t size, bochner_model** model, bochner_error* error);
BOCHNER_C_API void bochner_free(bochner_model* model); /* null is allowed */

/* The schema. Numbers are 0 and texts null for a null model or an index that is too large. */

/* What a row of numbers holds: one number for each input, in this order. A column of text becomes one input for each of
 * its levels ("job=clerk"), which is 1 for that level and 0 otherwise. */
BOCHNER_C_API size_t bochner_inputs(const bochner_model* model);
BOCHNER_C_API const char* bochner_input_name(const bochner_model* model, size_t input);

/* What a prediction holds. */
BOCHNER_C_API size_t bochner_outputs(const bochner_model* model);
BOCHNER_C_API const char* bochner_output_name(const bochner_model* model, size_t output);
/* "values": one for each target, in its units. "scores": one for each class, the largest wins; two classes have one,
 * that of the second, which wins above 0. "probabilities", "components", "clusters", "density", "variance",
 * "neighbours": see bochner/outputs.h. */
BOCHNER_C_API const char* bochner_output_kind(const bochner_model* model);

/* The labels of the classes: none if the model predicts no classes. */
BOCHNER_C_API size_t bochner_classes(const bochner_model* model);
BOCHNER_C_API const char* bochner_class_label(const bochner_model* model, size_t class_number);
BOCHNER_C_API int32_t bochner_has_probabilities(const bochner_model* model); /* 1 or 0 */

/* The columns of the table that the model was trained on, in the order of the file: none if it had no names. */
enum {
  BOCHNER_COLUMN_NUMERIC = 0,
  BOCHNER_COLUMN_CATEGORY = 1, /* text: a cell that is none of the levels gives zeros */
  BOCHNER_COLUMN_DATE = 2,
  BOCHNER_COLUMN_TARGET = 3,
  BOCHNER_COLUMN_WEIGHT = 4,
  BOCHNER_COLUMN_IGNORED = 5
};
BOCHNER_C_API size_t bochner_columns(const bochner_model* model);
BOCHNER_C_API const char* bochner_column_name(const bochner_model* model, size_t column);
BOCHNER_C_API int32_t bochner_column_kind(const bochner_model* model, size_t column); /* -1: there is no such column */
BOCHNER_C_API size_t bochner_column_levels(const bochner_model* model, size_t column);
BOCHNER_C_API const char* bochner_column_level(const bochner_model* model, size_t column, size_t level);

/* ---- Predictions ---------------------------------------------------------------------------------------------------
 */

/* Sizes are of whole arrays, counted in elements, and are checked: n rows are n * bochner_inputs() numbers, their
 * predictions n * bochner_outputs(). After a failure an array holds anything. */

/* Predicts rows of numbers, one row after another. A batch and its rows one by one give the same bits. Once a thread
 * has made its first call, the next of as many rows or fewer allocates nothing. */
BOCHNER_C_API int32_t bochner_predict(const bochner_model* model, const double* rows, size_t rows_size, double* out,
                                      size_t out_size, bochner_error* error);
BOCHNER_C_API int32_t bochner_predict_float(const bochner_model* model, const float* rows, size_t rows_size,
                                            double* out, size_t out_size, bochner_error* error);

/* Rows of text, read as a CSV file would be: numbers, dates, levels, missing cells. Columns that the model does not use
 * may be there. */
typedef struct bochner_table {
  const char* const* names; /* one for each column */
  size_t columns;
  const char* const* cells; /* rows x columns, one row after another; a null cell is a missing one */
  size_t rows;
} bochner_table;
BOCHNER_C_API int32_t bochner_predict_cells(const bochner_model* model, const bochner_table* table, double* out,
                                            size_t out_size, bochner_error* error);

/* The number of the class that each prediction says. classes_size: one for each row. */
BOCHNER_C_API int32_t bochner_classes_of(const bochner_model* model, const double* predictions, size_t predictions_size,
                                         size_t* class_numbers, size_t classes_size, bochner_error* error);
/* The probabilities of the classes, rows x bochner_classes(), from predictions. BOCHNER_MISUSE if the model has none.
 */
BOCHNER_C_API int32_t bochner_probabilities(const bochner_model* model, const double* predictions,
                                            size_t predictions_size, double* out, size_t out_size,
                                            bochner_error* error);

/* ---- Training ------------------------------------------------------------------------------------------------------
 */

/* Trains on a file of rows as `bochner train FILE --target TARGET -o OUTPUT` does. target: a name, or an index such as
 * "-1", the last. The files are read and written by their names; an output appears whole or not at all. */
BOCHNER_C_API int32_t bochner_train(const char* rows, const char* target, const char* output, bochner_error* error);

/* Training from parts of the rows that never meet (docs/parts.md), in two rounds. First a survey of each part, merged;
 * then, with the merged survey as the spec, the sums of each part, merged and solved.
 *   bochner_accumulate("a.csv", NULL, &options, "a.survey", &error);    and of every other part
 *   bochner_merge(surveys, 2, "all.survey", &error);
 *   bochner_accumulate("a.csv", "all.survey", &options, "a.sum", &error);
 *   bochner_merge(sums, 2, "all.sum", &error);
 *   bochner_solve("all.sum", NULL, 0, "cars.model", &error); */
typedef struct bochner_sum_options {
  size_t size;           /* sizeof(bochner_sum_options), so that later versions may have more behind the last */
  const char* target;    /* first round: a name or an index */
  const char* map;       /* second round, as the command takes them: "fourier", "nystroem:landmarks=leverage" */
  const char* kernel;    /* "gaussian", "matern:nu=1.5" */
  const char* bandwidth; /* a number, or a rule such as "median" */
  uint64_t features;     /* 0: by the number of rows */
  uint64_t seed;
  int32_t threads; /* 0: all cores */
  int32_t task;    /* first round: 0: as the target shows, 1: numbers, 2: classes */
} bochner_sum_options;

/* spec: null for the first round. options: null or with null texts where the usual choice is meant. */
BOCHNER_C_API int32_t bochner_accumulate(const char* rows, const char* spec, const bochner_sum_options* options,
                                         const char* output, bochner_error* error);
BOCHNER_C_API int32_t bochner_merge(const char* const* sums, size_t count, const char* output, bochner_error* error);
/* lambdas: those to choose from; none: searched. */
BOCHNER_C_API int32_t bochner_solve(const char* sum, const double* lambdas, size_t count, const char* output,
                                    bochner_error* error);

#ifdef __cplusplus
}
#endif

#endif
