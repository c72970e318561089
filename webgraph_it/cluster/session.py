"""The connection to Spark."""

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MISSING = (
    "Spark is not installed here: pip install 'webgraph_it[spark]', and Java 17 or 21 (apt install "
    "openjdk-17-jre-headless)."
)


class ClusterError(Exception):
    """What cannot be done, in one sentence."""


def session(master: str, settings: Mapping[str, str]) -> "SparkSession":
    """Start or find the Spark session. The workers use the same Python as this process."""
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError:
        raise ClusterError(MISSING) from None
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
    except (PySparkException, RuntimeError, OSError) as error:
        raise ClusterError(
            f"Spark does not start with --master {master}: {_first_line(error)}. {MISSING}"
        ) from None
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
