/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The bochner authors */

/* A stranger's program in C99: c_program ROWS TARGET FOLDER trains twice, at once and in parts, and predicts. */

#include <bochner_c.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed = 0;

static void expect(int holds, const char* what) {
  if (!holds) {
    printf("c_program: %s\n", what);
    failed = 1;
  }
}

static void succeed(int32_t code, const bochner_error* error, const char* what) {
  if (code != BOCHNER_OK) {
    printf("c_program: %s: code %d: %s\n", what, (int)code, error->text);
    exit(1);
  }
  expect(error->code == BOCHNER_OK && error->text[0] == '\0', "an error of a call that succeeded");
}

static void refuse(int32_t code, int32_t expected, const bochner_error* error, const char* say) {
  if (code != expected || error->code != expected || !strstr(error->text, say) || strchr(error->text, '\n')) {
    printf("c_program: expected code %d and '%s', found %d: %s\n", (int)expected, say, (int)code, error->text);
    failed = 1;
  }
}

static const char* in_folder(const char* folder, const char* name) {
  static char paths[8][512];
  static int next = 0;
  char* path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

/* Predicts rows of numbers in a batch and one by one: the same bits. */
static void check_batches(const bochner_model* model) {
  bochner_error error;
  const size_t inputs = bochner_inputs(model), outputs = bochner_outputs(model), count = 5;
  double* rows = calloc(count * inputs, sizeof(double));
  float* rounded = calloc(count * inputs, sizeof(float));
  double *out = calloc(count * outputs, sizeof(double)), *one = calloc(outputs, sizeof(double)),
         *of_float = calloc(count * outputs, sizeof(double));
  for (size_t i = 0; i < count * inputs; ++i) {
    rows[i] = (double)(i % 7) / 4;
    rounded[i] = (float)rows[i];
  }
  succeed(bochner_predict(model, rows, count * inputs, out, count * outputs, &error), &error, "predict");
  for (size_t i = 0; i < count; ++i) {
    succeed(bochner_predict(model, rows + i * inputs, inputs, one, outputs, &error), &error, "predict a row");
    expect(memcmp(one, out + i * outputs, outputs * sizeof(double)) == 0, "a batch and its rows have other bits");
  }
  succeed(bochner_predict_float(model, rounded, count * inputs, of_float, count * outputs, &error), &error, "float");
  expect(isfinite(out[0]) && memcmp(of_float, out, count * outputs * sizeof(double)) == 0, "floats predict otherwise");

  refuse(bochner_predict(model, rows, inputs + 1, out, outputs, &error), BOCHNER_MISUSE, &error, "multiple of");
  refuse(bochner_predict(model, rows, 2 * inputs, out, outputs, &error), BOCHNER_MISUSE, &error, "out_size");
  refuse(bochner_predict(model, NULL, inputs, out, outputs, &error), BOCHNER_MISUSE, &error, "null pointer");
  refuse(bochner_predict(model, rows, inputs, NULL, outputs, &error), BOCHNER_MISUSE, &error, "null pointer");
  refuse(bochner_predict(NULL, rows, inputs, out, outputs, &error), BOCHNER_MISUSE, &error, "null pointer");
  refuse(bochner_predict_cells(model, NULL, out, outputs, &error), BOCHNER_MISUSE, &error, "null pointer");
  succeed(bochner_predict(model, NULL, 0, NULL, 0, &error), &error, "no rows");
  rows[0] = NAN;
  expect(bochner_predict(model, rows, inputs, out, outputs, NULL) != BOCHNER_OK, "a row that is no number is taken");
  free(rows);
  free(rounded);
  free(out);
  free(one);
  free(of_float);
}

/* Trains in parts as docs/parts.md says; two parts with the same rows are one too many. */
static void check_parts(const char* rows, const char* target, const char* folder) {
  bochner_error error;
  bochner_sum_options options = {0};
  bochner_model* model;
  const char *survey = in_folder(folder, "c.survey"), *sum = in_folder(folder, "c.sum"),
             *solved = in_folder(folder, "c.model");
  const char *one[1], *twice[2];
  options.size = sizeof options;
  options.target = target;
  succeed(bochner_accumulate(rows, NULL, &options, survey, &error), &error, "survey");
  one[0] = twice[0] = twice[1] = survey;
  refuse(bochner_merge(twice, 2, in_folder(folder, "no.survey"), &error), BOCHNER_DATA, &error, "");
  succeed(bochner_merge(one, 1, in_folder(folder, "all.survey"), &error), &error, "merge");
  options.kernel = "laplacian";
  options.features = 64;
  refuse(bochner_accumulate(rows, NULL, &options, survey, &error), BOCHNER_MISUSE, &error, "second round");
  succeed(bochner_accumulate(rows, in_folder(folder, "all.survey"), &options, sum, &error), &error, "sums");
  options.kernel = "no kernel";
  refuse(bochner_accumulate(rows, survey, &options, sum, &error), BOCHNER_MISUSE, &error, "no kernel");
  options.size = 3;
  refuse(bochner_accumulate(rows, survey, &options, sum, &error), BOCHNER_MISUSE, &error, "sizeof");
  refuse(bochner_solve(survey, NULL, 0, solved, &error), BOCHNER_DATA, &error, "survey");
  refuse(bochner_solve(rows, NULL, 0, solved, &error), BOCHNER_MODEL, &error, "");
  refuse(bochner_solve(sum, NULL, 2, solved, &error), BOCHNER_MISUSE, &error, "lambdas");
  succeed(bochner_solve(sum, NULL, 0, solved, &error), &error, "solve");
  succeed(bochner_load(solved, &model, &error), &error, "load what was solved");
  expect(strcmp(bochner_output_kind(model), "values") == 0 && bochner_classes(model) == 0, "kind of numbers");
  check_batches(model);
  bochner_free(model);
}

static void check_refusals(const char* rows, const char* folder) {
  bochner_error error;
  bochner_model* model = (bochner_model*)1;
  refuse(bochner_load(in_folder(folder, "absent"), &model, &error), BOCHNER_MODEL, &error, "absent");
  expect(model == NULL, "a model although loading failed");
  refuse(bochner_load(rows, &model, &error), BOCHNER_MODEL, &error, "");
  refuse(bochner_load(NULL, &model, &error), BOCHNER_MISUSE, &error, "null pointer");
  refuse(bochner_load(rows, NULL, &error), BOCHNER_MISUSE, &error, "null pointer");
  refuse(bochner_load_bytes("junk", 4, &model, &error), BOCHNER_MODEL, &error, "");
  refuse(bochner_load_bytes("", 0, &model, &error), BOCHNER_MODEL, &error, "");
  refuse(bochner_train(rows, "no such column", in_folder(folder, "m"), &error), BOCHNER_DATA, &error, "no such column");
  refuse(bochner_train(rows, "", in_folder(folder, "m"), &error), BOCHNER_MISUSE, &error, "empty");
  refuse(bochner_merge(NULL, 1, in_folder(folder, "m"), &error), BOCHNER_MISUSE, &error, "null pointer");
  expect(bochner_inputs(NULL) == 0 && bochner_input_name(NULL, 0) == NULL && bochner_columns(NULL) == 0 &&
             bochner_output_kind(NULL) == NULL && bochner_column_kind(NULL, 0) == -1 &&
             !bochner_has_probabilities(NULL),
         "a null model has something");
  bochner_free(NULL);
}

int main(int count, char** arguments) {
  bochner_error error;
  bochner_model* model;
  if (count != 4) return 2;
  expect(bochner_c_version() >= BOCHNER_C_VERSION && strchr(bochner_version(), '.') != NULL, "versions");
  check_refusals(arguments[1], arguments[3]);
  succeed(bochner_train(arguments[1], arguments[2], in_folder(arguments[3], "trained.model"), &error), &error, "train");
  succeed(bochner_load(in_folder(arguments[3], "trained.model"), &model, &error), &error, "load");
  for (size_t i = 0; i < bochner_inputs(model); ++i) expect(bochner_input_name(model, i)[0] != '\0', "a name");
  expect(bochner_input_name(model, bochner_inputs(model)) == NULL, "a name too many");
  expect(strcmp(bochner_output_name(model, 0), arguments[2]) == 0, "the output is not called as the target");
  check_batches(model);
  bochner_free(model);
  check_parts(arguments[1], arguments[2], arguments[3]);
  printf("c_program: %s\n", failed ? "failed" : "all is as it should be");
  return failed;
}
