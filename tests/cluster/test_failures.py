"""What Spark raises → one sentence. The texts are those of Spark 4, shortened."""

from webgraph_it.cluster.failures import LONGEST, fault_in, reason_in

OF_SQL = """An exception was thrown from the Python worker: Traceback (most recent call last):
  File "tables.py", line 192, in rows
    raise ShardError("no")
webgraph_it.shards.formats.ShardError: /crawl/urls/000002.tsv: 3 lines are not URLs. The first is line 1.
 SQLSTATE: 38000

JVM stacktrace:
org.apache.spark.api.python.PythonException: [PYTHON_EXCEPTION] An exception was thrown from the Python worker:
\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(PythonRunner.scala:1097)
"""
OF_JAVA = "An error occurred\n: org.apache.SparkException: no\nCaused by: java.io.IOException: refused."
OF_SUBMIT = """WARNING: Using incubator modules
Exception in thread "main" java.lang.OutOfMemoryError: Java heap space
\tat java.base/java.util.Arrays.copyOf(Arrays.java:3537)
"""


def test_the_sentence_of_a_worker_is_found_among_the_traces() -> None:
    assert fault_in(OF_SQL) == "/crawl/urls/000002.tsv: 3 lines are not URLs. The first is line 1."
    assert fault_in(OF_JAVA) is None


def test_the_reason_is_what_python_raised_or_the_last_cause_that_java_names() -> None:
    disk_full = OF_SQL.replace("webgraph_it.shards.formats.ShardError: /crawl", "OSError: [Errno 28] /crawl")
    assert reason_in(disk_full).startswith("OSError: [Errno 28] /crawl")
    assert reason_in(OF_JAVA) == "java.io.IOException: refused"
    assert reason_in(OF_SUBMIT) == "java.lang.OutOfMemoryError: Java heap space"
    no_vm = "Error occurred during initialization of VM\nToo small maximum heap\n"
    assert reason_in(no_vm) == "Too small maximum heap"
    assert reason_in("one line.\nmore") == "one line"
    assert reason_in("") == "no reason is given"


def test_a_reason_is_short() -> None:
    assert len(reason_in("x" * 9999)) == LONGEST + 1
