# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Faults that every engine hands over: the driver tries again, or refuses by name, and goes on where it was killed."""

import bochner
import engine_cases as cases
import pytest
from bochner import _driver

pytest.importorskip("pyarrow")
RIDGE = cases.ESTIMATORS["ridge"]
COUNT = len(cases.CUTS)


def drive(run, estimator=RIDGE, partitions=COUNT, **named):
    return _driver.drive(run, estimator, partitions, y="y", **named)


def once(fault):
    """An engine that does what it should but for one fault, in the first wave of every round."""
    rounds = set()

    def run(plan, partitions):
        first = plan not in rounds
        rounds.add(plan)
        for k in partitions:
            result = _driver.summed(plan, k, cases.table(k))
            yield from fault(result) if first and k == 2 else [result]

    return run


def altered(result):
    middle = len(result.sums) // 2
    return result._replace(sums=result.sums[:middle] + bytes([result.sums[middle] ^ 1]) + result.sums[middle + 1 :])


@pytest.mark.parametrize("fault, again", [
    (lambda result: [altered(result)], 1),
    (lambda result: [_driver.lost(result.partition, TimeoutError("no result"))], 1),
    (lambda result: [], 0),
    (lambda result: [result, result], 0),
], ids=["altered", "failed", "lost", "twice"])
def test_a_fault_costs_its_partition_and_no_byte(fault, again):
    fitted = drive(once(fault))
    assert cases.digest(fitted) == cases.expected("ridge")
    assert fitted.rounds_.again == [again] * len(fitted.rounds_.tasks)
    assert max(fitted.rounds_.tasks) <= COUNT + 1


def test_what_fails_for_good_is_refused_by_name():
    def run(plan, partitions):
        results = (_driver.summed(plan, k, cases.table(k)) for k in partitions)
        return (altered(r) if r.partition == 1 else r for r in results)

    with pytest.raises(RuntimeError, match="partition 1: failed 3 times in round 0"):
        drive(run)
    tasks = []

    def without(k):
        tasks.append(k)
        return cases.table(k).drop_columns(["y"])

    with pytest.raises(ValueError, match="partition 0: .*'y'"):
        drive(_driver.here(without))
    assert tasks == [0]  # it would fail again
    with pytest.raises(RuntimeError, match="partition 2: .*no result came"):
        drive(once(lambda result: []), retries=0)


def test_rows_that_would_count_twice_are_refused():
    with pytest.raises((RuntimeError, ValueError), match="same rows"):
        drive(_driver.here(lambda k: cases.table(min(k, 1))))


class Killed(BaseException):
    pass


@pytest.mark.parametrize("name", ["ridge", "kmeans"])
def test_a_killed_driver_goes_on_and_sums_no_partition_again_that_was_kept(name, tmp_path, monkeypatch):
    monkeypatch.setattr(_driver, "_KEEPING", float("inf"))  # otherwise small tasks are kept several at a time
    state, tasks = tmp_path / "job", []

    def until(most):
        def run(plan, partitions):
            for k in partitions:
                if len(tasks) == most:
                    raise Killed
                tasks.append(k)
                yield _driver.summed(plan, k, cases.table(k))

        return run

    for most in (2, 7, 9):
        with pytest.raises(Killed):
            drive(until(most), cases.ESTIMATORS[name], state=state)
        assert state.exists()
    fitted = drive(until(None), cases.ESTIMATORS[name], state=state)
    assert cases.digest(fitted) == cases.expected(name)
    assert not state.exists()
    whole = _driver.drive(_driver.here(cases.table), cases.ESTIMATORS[name], COUNT, y="y").rounds_
    assert len(tasks) == sum(whole.tasks)


def test_the_state_of_another_job_is_refused(tmp_path):
    state = tmp_path / "job"

    def run(plan, partitions):
        yield _driver.summed(plan, 0, cases.table(0))
        raise Killed

    with pytest.raises(Killed):
        drive(run, state=state)
    with pytest.raises(ValueError, match="state: .*partitions"):
        drive(run, partitions=COUNT - 1, state=state)
    with pytest.raises(ValueError, match="state: .*estimator"):
        drive(run, bochner.KernelRidge(n_components=32), state=state)


def test_a_drawn_seed_is_that_of_the_state(tmp_path):
    state = tmp_path / "job"
    machine = bochner.KernelRidge(n_components=64, bandwidth=2.0, random_state=None)

    def run(plan, partitions):
        yield _driver.summed(plan, 0, cases.table(0))
        raise Killed

    with pytest.raises(Killed):
        drive(run, machine, state=state)
    assert drive(_driver.here(cases.table), machine, state=state).rounds_.tasks[0] == COUNT - 1
    with pytest.raises(Killed):
        drive(run, machine, state=state)
    with pytest.raises(ValueError, match="state: .*estimator"):
        drive(run, bochner.KernelRidge(n_components=32, bandwidth=2.0, random_state=None), state=state)


def test_an_error_of_the_training_is_no_fault_of_a_task():
    class Job:
        round = 0

        def add(self, sums):
            self.round += 1
            raise ValueError("the training refuses")

    with pytest.raises(ValueError, match="^the training refuses$"):
        _driver._added(Job(), _driver.Result(0))


def test_what_a_round_took_is_told():
    lines = []
    fitted = drive(_driver.here(cases.table), say=lines.append)
    tally = fitted.rounds_
    assert "rounds" in lines[0] and lines[-1].startswith(f"round {len(tally.tasks) - 1}: {COUNT} tasks")
    assert all(n > 0 for n in tally.plan_bytes + tally.sum_bytes)
