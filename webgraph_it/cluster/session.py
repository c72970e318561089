"""The connection to Spark."""

import os
import re
import shutil
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NO_JAVA = "Spark needs Java 17 or 21, which is not installed here: apt install openjdk-17-jre-headless."
MISSING = "Spark is not installed here: pip install 'webgraph_it[spark]'. It also needs Java 17 or 21."
MASTER = re.compile(r"local(\[(\*|[1-9]\d*)(,[1-9]\d*)?\])?|spark://[^\s/]+:\d+|yarn|k8s://\S+")


class ClusterError(Exception):
    """What cannot be done, in one sentence."""


def session(master: str, settings: Mapping[str, str]) -> "SparkSession":
    """Start or find the Spark session. The workers use the same Python as this process."""
    if not MASTER.fullmatch(master):
        raise ClusterError(f"--master is {master}; expected: local[2], spark://host:7077, yarn, or k8s://…")
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise ClusterError(MISSING) from None
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        raise ClusterError(NO_JAVA)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    defaults = {
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.adaptive.skewJoin.enabled": "true",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "8192",
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.showConsoleProgress": "false",
    }
    if master.startswith("local"):
        defaults |= {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.ui.enabled": "false",
        }
    builder = SparkSession.builder.appName("webgraph_it").master(master)
    for name, value in (defaults | dict(settings)).items():
        builder = builder.config(name, value)
    try:
        spark: SparkSession = builder.getOrCreate()
    except Exception as error:  # py4j's errors have no common class
        raise ClusterError(
            f"Spark does not start with --master {master}: {_reason(error)}. What it said itself is above. Look at "
            "--master and --set, and whether the master runs."
        ) from None
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def _reason(error: Exception) -> str:
    """The last cause that Java names, or the first line."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    causes = [line.partition(": ")[2] for line in lines if line.startswith(("Caused by: ", ": "))]
    return (causes[-1] if causes else lines[0]).rstrip(". ")
