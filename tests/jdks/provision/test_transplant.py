"""A library is led to its symbols and stays what it was; the machine's CAs in the format that Java reads."""

import ctypes
import hashlib
import re
import shutil
import ssl
import struct
import zlib
from pathlib import Path

import pytest

from safepointlab import jdks
from safepointlab.errors import JdkNotFound
from safepointlab.jdks.provision import transplant
from safepointlab.jdks.provision.transplant import SECTION, give_certificates, key_store
from safepointlab.process import shell

LIBRARY = Path(re.findall(r"/\S*/libc\.so\S*", Path("/proc/self/maps").read_text())[0])
DER = bytes(range(200))
BUNDLE = "# a comment\n" + ssl.DER_cert_to_PEM_cert(DER) + "junk\n" + ssl.DER_cert_to_PEM_cert(DER[::-1])


@pytest.fixture
def stripped(tmp_path):
    """A library in the place of libjvm.so, and a package's tree with the symbols that have its build id."""
    library = tmp_path / "server" / "libjvm.so"
    library.parent.mkdir()
    library.write_bytes(LIBRARY.read_bytes().replace(b".gnu_debuglink", b".other_section"))
    name = transplant.BUILD_ID.search(library.read_bytes())[1].hex()
    debug = tmp_path / "usr" / "lib" / "debug" / ".build-id" / name[:2] / f"{name[2:]}.debug"
    debug.parent.mkdir(parents=True)
    debug.write_bytes(b"the symbols")
    return library


def sections(library: bytes) -> dict[str, bytes]:
    """The content of each section by its name, of those that have any in the file."""
    (table,), (count, strings_at) = struct.unpack_from("<Q", library, 40), struct.unpack_from("<HH", library, 60)
    headers = [struct.unpack_from(SECTION, library, table + 64 * number) for number in range(count)]
    names = library[headers[strings_at][4] :]
    held = [(name, at, size) for name, kind, _, _, at, size, *_ in headers if kind != 8]  # 8: SHT_NOBITS
    return {names[name:].partition(b"\0")[0].decode(): library[at : at + size] for name, at, size in held}


def test_symbols_are_put_beside_and_named_with_their_checksum_and_all_else_stays(stripped, tmp_path):
    before = sections(stripped.read_bytes())
    assert transplant.give_symbols(stripped, tmp_path)
    assert (stripped.parent / "libjvm.debug").read_bytes() == b"the symbols"
    after = sections(stripped.read_bytes())
    assert after[".gnu_debuglink"] == b"libjvm.debug\0\0\0\0" + struct.pack("<I", zlib.crc32(b"the symbols"))
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {".shstrtab"} and set(after) - set(before) == {".gnu_debuglink"}


def test_a_library_with_a_debug_link_still_loads(tmp_path):
    libm = Path(re.sub(r"libc\.so", "libm.so", str(LIBRARY)))
    (tmp_path / "symbols.debug").write_bytes(b"x")
    (tmp_path / "libcopy.so").write_bytes(transplant.with_debug_link(libm.read_bytes(), tmp_path / "symbols.debug"))
    cosine = ctypes.CDLL(str(tmp_path / "libcopy.so")).cos
    cosine.restype, cosine.argtypes = ctypes.c_double, [ctypes.c_double]
    assert cosine(0.0) == 1.0


def test_symbols_of_another_build_are_not_used(stripped, tmp_path):
    shutil.rmtree(tmp_path / "usr")
    before = stripped.read_bytes()
    assert not transplant.give_symbols(stripped, tmp_path) and stripped.read_bytes() == before


@pytest.mark.parametrize("place", ["lib/security", "jre/lib/security"])
def test_a_sealed_store_of_each_certificate_is_put_where_this_jdk_looks(tmp_path, monkeypatch, place):
    (tmp_path / "bundle.pem").write_text(BUNDLE)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "bundle.pem"))
    (tmp_path / "jdk" / place).mkdir(parents=True)
    assert give_certificates(tmp_path / "jdk")
    store = (tmp_path / "jdk" / place / "cacerts").read_bytes()
    assert struct.unpack(">III", store[:12]) == (0xFEEDFEED, 2, 2) and DER in store and DER[::-1] in store
    password = b"\0c\0h\0a\0n\0g\0e\0i\0t"
    assert store[-20:] == hashlib.sha1(password + b"Mighty Aphrodite" + store[:-20]).digest()


def test_a_store_that_the_jdk_brought_is_kept_and_without_a_bundle_there_is_none(tmp_path, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    assert not give_certificates(tmp_path)
    (tmp_path / "lib" / "security").mkdir(parents=True)
    (tmp_path / "lib" / "security" / "cacerts").write_text("its own")
    assert give_certificates(tmp_path) and (tmp_path / "lib" / "security" / "cacerts").read_text() == "its own"


@pytest.mark.live
@pytest.mark.parametrize("major", [8, 25])
def test_java_reads_the_store(tmp_path, major):
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
