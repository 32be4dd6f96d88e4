// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// The whole library.

#include "bochner/archive.h"
#include "bochner/bandwidth.h"
#include "bochner/binning.h"
#include "bochner/bounds.h"
#include "bochner/check.h"
#include "bochner/checkpoint.h"
#include "bochner/encoder.h"
#include "bochner/error.h"
#include "bochner/evaluation.h"
#include "bochner/execution.h"
#include "bochner/fold.h"
#include "bochner/kernel.h"
#include "bochner/learner.h"
#include "bochner/map.h"
#include "bochner/matrix.h"
#include "bochner/model.h"
#include "bochner/nystroem.h"
#include "bochner/parts.h"
#include "bochner/predictor.h"
#include "bochner/processor.h"
#include "bochner/report.h"
#include "bochner/ridge.h"
#include "bochner/row_block.h"
#include "bochner/rows.h"
#include "bochner/schema.h"
#include "bochner/stream.h"
#include "bochner/train.h"
