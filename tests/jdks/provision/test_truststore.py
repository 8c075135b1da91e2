"""provision/truststore.py: the machine's CAs in the format that Java reads."""

import hashlib
import ssl
import struct
from pathlib import Path

import pytest

from safepointlab import jdks
from safepointlab.errors import JdkNotFound
from safepointlab.jdks.provision.truststore import give_certificates, key_store
from safepointlab.process import shell

DER = bytes(range(200))
BUNDLE = "# a comment\n" + ssl.DER_cert_to_PEM_cert(DER) + "junk\n" + ssl.DER_cert_to_PEM_cert(DER[::-1])


def test_store_holds_each_certificate_and_is_sealed() -> None:
    store = key_store(BUNDLE)
    assert struct.unpack(">III", store[:12]) == (0xFEEDFEED, 2, 2)
    assert DER in store and DER[::-1] in store
    password = b"\0c\0h\0a\0n\0g\0e\0i\0t"
    assert store[-20:] == hashlib.sha1(password + b"Mighty Aphrodite" + store[:-20]).digest()


@pytest.mark.parametrize("place", ["lib/security", "jre/lib/security"])
def test_store_is_put_where_this_jdk_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    (tmp_path / "bundle.pem").write_text(BUNDLE)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "bundle.pem"))
    (tmp_path / "jdk" / place).mkdir(parents=True)
    assert give_certificates(tmp_path / "jdk")
    assert (tmp_path / "jdk" / place / "cacerts").read_bytes() == key_store(BUNDLE)


def test_store_that_the_jdk_brought_is_kept(tmp_path: Path) -> None:
    (tmp_path / "lib" / "security").mkdir(parents=True)
    (tmp_path / "lib" / "security" / "cacerts").write_text("its own")
    assert give_certificates(tmp_path)
    assert (tmp_path / "lib" / "security" / "cacerts").read_text() == "its own"


def test_machine_without_a_bundle_gets_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    assert not give_certificates(tmp_path)


@pytest.mark.live
@pytest.mark.parametrize("major", [8, 25])
def test_java_reads_the_store(tmp_path: Path, major: int) -> None:
    bundle = Path(ssl.get_default_verify_paths().cafile or "")
    try:
        keytool = jdks.get(major).tool("keytool")
    except JdkNotFound:
        pytest.skip(f"no JDK {major}")
    if keytool is None or not bundle.is_file():
        pytest.skip("no keytool, or no CAs on this machine")
    (tmp_path / "cacerts").write_bytes(key_store(bundle.read_text()))
    command = [str(keytool), "-list", "-keystore", str(tmp_path / "cacerts"), "-storepass", "changeit"]
    assert f"contains {bundle.read_text().count('BEGIN CERTIFICATE')} entries" in shell.output_of(command)
