"""The files in deploy/ are what they say: they parse, and they agree with each other and with the crawl."""

import configparser
import json
import re
import shutil
import subprocess
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml

from tests.defaults import parse_schedule
from webgraph_it import settings
from webgraph_it.console.address import Address
from webgraph_it.console.guard import Asked, refusal
from webgraph_it.console.tokens import Role, read_tokens
from webgraph_it.crawl.outcome import STOPPED, WRONG_USAGE
from webgraph_it.fetch.guard import special
from webgraph_it.fetch.schedule import Schedule

DEPLOY = Path(__file__).parent.parent / "deploy"
OPEN_FILES = 32_768


def lines_of(name: str) -> list[str]:
    lines = (line.strip() for line in (DEPLOY / name).read_text().splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def unit(name: str = "webgraph_it.service") -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string((DEPLOY / name).read_text().replace("\\\n", " "))
    return parser


def plan() -> Schedule:
    return parse_schedule((DEPLOY / "bandwidth.json").read_text())


def test_every_file_is_in_the_readme() -> None:
    readme = (DEPLOY / "README.md").read_text()
    assert [
        file.name for file in DEPLOY.iterdir() if f"`{file.name}`" not in readme and file.name != "README.md"
    ] == []


def test_the_service_resumes_one_crawl_and_gives_settings_that_exist() -> None:
    service = unit()["Service"]
    given = dict(re.findall(r"-s '?(\w+)=(\S+)", service["ExecStart"]))
    assert given["JOBDIR"].startswith("/var/lib/webgraph_it/")
    assert [name for name in given if name != "JOBDIR" and not hasattr(settings, name)] == []
    assert service["Restart"] == "on-failure"
    assert int(service["RestartPreventExitStatus"]) == WRONG_USAGE
    assert int(service["SuccessExitStatus"]) == STOPPED
    assert int(service["LimitNOFILE"]) == OPEN_FILES
    assert "-USR1" in service["ExecReload"]


def test_the_template_runs_one_member_and_is_as_hardened_as_the_service() -> None:
    service, alone = unit("webgraph_it@.service")["Service"], unit()["Service"]
    given = dict(re.findall(r"-s '?(\w+)=(\S+)", service["ExecStart"]))
    assert given["FLEET_MEMBER"] == "%i"
    assert [name for name in given if name != "JOBDIR" and not hasattr(settings, name)] == []
    same = (
        "ExecReload",
        "KillSignal",
        "Restart",
        "RestartPreventExitStatus",
        "SuccessExitStatus",
        "LimitNOFILE",
    )
    for name in (*same, *HARDENING):
        assert service[name] == alone[name], name


@pytest.mark.parametrize("name", ["webgraph_it.service", "webgraph_it@.service"])
def test_systemd_accepts_the_unit(tmp_path: Path, name: str) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    text = (DEPLOY / name).read_text()
    copy = tmp_path / name.replace("@.", "@1.")  # with programs and a user that exist here
    text = re.sub(r"/opt/webgraph_it/.venv/bin/scrapy", "/bin/true", text)
    copy.write_text(re.sub(r"(User|Group)=webgraph_it", r"\1=root", text))
    check = subprocess.run(["systemd-analyze", "verify", copy], capture_output=True, text=True, timeout=30)
    complaints = [line for line in check.stderr.splitlines() if "webgraph_it" in line]
    assert complaints == []


HARDENING = {
    "UMask": "0077",
    "NoNewPrivileges": "yes",
    "CapabilityBoundingSet": "",
    "RestrictNamespaces": "yes",
    "LockPersonality": "yes",
    "ProtectKernelTunables": "yes",
    "ProtectKernelModules": "yes",
    "ProtectKernelLogs": "yes",
    "ProtectProc": "invisible",
    "SystemCallArchitectures": "native",
}


def values(option: str) -> list[str]:
    """All words of an option that may be given several times."""
    return " ".join(
        line.partition("=")[2] for line in lines_of("webgraph_it.service") if line.startswith(f"{option}=")
    ).split()


def test_the_service_can_do_no_more_than_a_crawl_does() -> None:
    service = unit()["Service"]
    assert {name: service.get(name) for name in HARDENING} == HARDENING
    assert "@system-service" in values("SystemCallFilter")
    assert {"landlock_create_ruleset", "landlock_restrict_self", "seccomp"} <= set(values("SystemCallFilter"))
    assert service["MemoryMax"].endswith("G")
    assert int(service["TasksMax"]) >= 64


def test_the_service_reaches_the_resolver_and_nothing_else_that_is_private() -> None:
    allowed = [ip_network(text) for text in values("IPAddressAllow")]
    denied = [ip_network(text) for text in values("IPAddressDeny")]
    resolver = re.search(r'"([0-9.]+):', unit()["Service"]["ExecStart"])
    assert resolver
    assert allowed == [ip_network(resolver[1])]
    for text in PRIVATE:
        assert any(
            ip_address(text) in network for network in denied if network.version == ip_address(text).version
        )
    for network in denied:
        assert special(network.network_address), "the crawl itself refuses what systemd does"


PRIVATE = [
    *("0.0.0.1", "10.1.2.3", "100.64.0.1", "127.0.0.2", "169.254.169.254", "172.16.0.1", "192.168.1.1"),
    *("::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "fc00::1", "fd12::1", "fe80::1"),
]


def test_the_resolver_answers_with_no_private_address() -> None:
    networks = [ip_network(line.split()[1]) for line in lines_of("unbound.conf") if "private-address" in line]
    for address in map(ip_address, PRIVATE):
        assert any(address in network for network in networks if network.version == address.version), address
    assert all(special(network.network_address) for network in networks)


def test_systemd_finds_the_service_little_exposed(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    found = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--no-pager", DEPLOY / "webgraph_it.service"],
        capture_output=True,
        text=True,
        timeout=30,
    )
    exposure = re.search(r"exposure level for webgraph_it.service: ([0-9.]+)", found.stdout)
    assert exposure, found.stderr
    assert float(exposure[1]) < 2.5


def test_limits_allow_the_files_of_the_service() -> None:
    for line in lines_of("limits.conf"):
        user, kind, item, value = line.split()
        assert (user, item, int(value)) == ("webgraph_it", "nofile", OPEN_FILES)
        assert kind in ("soft", "hard")
    assert OPEN_FILES > 2 * settings.MAX_TCP_CONNECTIONS


def test_sysctl_lines_are_names_and_numbers() -> None:
    lines = lines_of("sysctl.conf")
    assert len(lines) > 3
    assert [line for line in lines if not re.fullmatch(r"[a-z0-9_.-]+ = [0-9]+( [0-9]+)?", line)] == []


def test_unbound_lines_are_options_of_the_server(tmp_path: Path) -> None:
    first, *options = lines_of("unbound.conf")
    assert first == "server:"
    assert [line for line in options if not re.fullmatch(r"[a-z0-9-]+: \S+( \S+)?", line)] == []
    port = next(line.split()[1] for line in options if line.startswith("port:"))
    assert f"127.0.0.1:{port}" in unit()["Service"]["ExecStart"]
    if shutil.which("unbound-checkconf") is None:
        pytest.skip("unbound-checkconf is not installed")
    subprocess.run(
        ["unbound-checkconf", DEPLOY / "unbound.conf"], check=True, timeout=30, capture_output=True
    )


CRON = re.compile(r"(?:(@reboot)|(\d+)\s+(\d+)\s+\*\s+\*\s+(\d)-(\d))\s+root\s+.*-d (\d+) -u \d+")


def test_cron_lines_follow_the_plan_through_a_week() -> None:
    jobs = [
        found for line in lines_of("wondershaper.cron") if "=" not in line and (found := CRON.fullmatch(line))
    ]
    assert len(jobs) == len([line for line in lines_of("wondershaper.cron") if "=" not in line]) == 3
    monday = datetime(2026, 11, 16, tzinfo=ZoneInfo("Europe/Rome"))
    kilobits = 0
    for minutes in range(0, 2 * 7 * 24 * 60, 30):  # the second week: the first one finds the state
        now = monday + timedelta(minutes=minutes)
        for _, minute, hour, first_day, last_day, rate in (job.groups() for job in jobs):
            if minute is not None and (now.minute, now.hour) == (int(minute), int(hour)):
                kilobits = int(rate) if int(first_day) <= now.isoweekday() <= int(last_day) else kilobits
        if minutes >= 7 * 24 * 60:
            assert kilobits * 125 == plan().rate_at(now.timestamp()), now


def read_yaml(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / name).read_text())
    return found


def compose() -> dict[str, Any]:
    return read_yaml("compose.yaml")


def test_the_containers_are_the_crawl_its_resolver_valkey_and_prometheus() -> None:
    services = compose()["services"]
    assert services.keys() == {"crawl", "resolver", "valkey", "prometheus"}
    assert "profiles" not in services["crawl"] | services["resolver"]
    assert services["crawl"]["ulimits"]["nofile"] == OPEN_FILES


def test_every_file_and_volume_of_the_containers_exists() -> None:
    found = compose()
    for service in found["services"].values():
        for source in (volume.partition(":")[0] for volume in service.get("volumes", ())):
            assert (DEPLOY / source).is_file() if source.startswith("./") else source in found["volumes"], (
                source
            )
    built = found["services"]["crawl"]["build"]
    assert (DEPLOY / built["context"] / built["dockerfile"]).resolve() == DEPLOY / "Dockerfile"
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert [name for line in copied for name in line.split() if not (DEPLOY.parent / name).exists()] == []


def test_the_crawl_in_a_container_gives_settings_that_exist_and_asks_its_resolver() -> None:
    services = compose()["services"]
    words = services["crawl"]["command"]
    given = dict(word.split("=", 1) for flag, word in pairwise(words) if flag == "-s")
    assert [name for name in given if name != "JOBDIR" and not hasattr(settings, name)] == []
    (server,) = json.loads(given["DNS_SERVERS"])
    address, _, port = server.partition(":")
    assert services["resolver"]["networks"]["web"]["ipv4_address"] == address
    assert f"port: {port}" in lines_of("unbound.conf")
    (network,) = compose()["networks"]["web"]["ipam"]["config"]
    assert ip_address(address) in ip_network(network["subnet"])
    assert f"access-control: {network['subnet']} allow" in lines_of("unbound-container.conf")


def test_unbound_accepts_the_resolver_of_the_containers(tmp_path: Path) -> None:
    if shutil.which("unbound-checkconf") is None:
        pytest.skip("unbound-checkconf is not installed")
    text = (DEPLOY / "unbound-container.conf").read_text()
    copy = tmp_path / "unbound.conf"
    copy.write_text(text.replace("/opt/unbound/etc/unbound/webgraph_it.conf", str(DEPLOY / "unbound.conf")))
    check = subprocess.run(["unbound-checkconf", copy], capture_output=True, text=True, timeout=30)
    assert check.returncode == 0, check.stderr


def test_prometheus_asks_the_crawl() -> None:
    jobs = read_yaml("prometheus-container.yaml")["scrape_configs"]
    targets = [target for job in jobs for each in job["static_configs"] for target in each["targets"]]
    assert {target.partition(":")[0] for target in targets} <= compose()["services"].keys()


def test_the_console_of_the_container_has_tokens_and_prometheus_uses_the_readers(tmp_path: Path) -> None:
    crawl = compose()["services"]["crawl"]
    shell, flags, script, name = crawl["entrypoint"]
    shared = tmp_path / "shared"
    shared.mkdir()
    script = script.replace("$$", "$").replace("/tokens/", f"{shared}/").replace("exec scrapy", "exec echo")
    for _ in range(2):  # the second start keeps the tokens of the first
        run = subprocess.run(
            [shell, flags, script, name, "crawl", "a b"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert (run.returncode, run.stdout) == (0, "crawl a b\n"), run.stderr
        tokens = read_tokens(tmp_path / "tokens.toml")
        reader = (shared / "reader").read_text().strip()
        assert tokens.role(reader) is Role.READER
        assert (shared / "reader").stat().st_mode & 0o777 == 0o644
    (job,) = read_yaml("prometheus-container.yaml")["scrape_configs"]
    mounts = dict(volume.split(":")[:2] for volume in compose()["services"]["prometheus"]["volumes"])
    assert job["authorization"]["credentials_file"] == f"{mounts['tokens']}/reader"
    assert "tokens:/tokens" in crawl["volumes"]


def test_the_console_of_the_container_answers_to_the_name_that_prometheus_uses() -> None:
    words = compose()["services"]["crawl"]["command"]
    given = dict(word.split("=", 1) for flag, word in pairwise(words) if flag == "-s")
    names = Address.of(given["CONSOLE"]).names(json.loads(given["CONSOLE_HOSTS"]))
    (job,) = read_yaml("prometheus-container.yaml")["scrape_configs"]
    (target,) = job["static_configs"][0]["targets"]
    assert refusal(Asked("GET", "/metrics", (target,), None, None, ""), names) is None
