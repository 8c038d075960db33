"""An HTTPS host for tests of `network.allow`: says hello, sends and takes as much as asked, counts who came.

Run as a program, with certificate and key in CERTIFICATE, it serves on a loopback port, for the gateway's container.
"""

from __future__ import annotations

import os
import ssl
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NAME = "files.example.org"
HELLO = b"hello from the harbour"


@dataclass
class TlsHost:
    """A running host. `pem` holds certificate and key; clients trust the certificate itself."""

    pem: str
    port: int = 0
    seen: list[str] = field(default_factory=list)
    """Request lines with the client's name of itself."""

    @contextmanager
    def running(self) -> Iterator[TlsHost]:
        """Serve until the block ends."""
        server = self._server()
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()

    def serve(self) -> None:
        """Serve for ever."""
        self._server().serve_forever()

    def _server(self) -> ThreadingHTTPServer:
        seen = self.seen

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                seen.append(f"{self.requestline} ({self.headers.get('user-agent', '')})")
                size = int(self.path.removeprefix("/?n=")) if self.path.startswith("/?n=") else 0
                self._say(b"y" * size if size else HELLO)

            def do_POST(self) -> None:
                seen.append(self.requestline)
                self.rfile.read(int(self.headers["content-length"]))
                self._say(b"taken")

            def _say(self, body: bytes) -> None:
                self.send_response(404 if "info/refs" in self.path else 200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: Any) -> None:
                """Clients are cut off here on purpose."""

        server = Server(("127.0.0.1", self.port), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
            file.write(self.pem)
            file.flush()
            context.load_cert_chain(file.name)
        # In each connection's own thread: one that says nothing holds up nobody.
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = server.server_address[1]
        return server


def certificate(name: str = NAME) -> str:
    """A key and a certificate of its own for one name, as PEM."""
    import datetime

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return (private + made.public_bytes(serialization.Encoding.PEM)).decode()


def public_part(pem: str) -> str:
    """The certificate without its key."""
    return pem[pem.index("-----BEGIN CERTIFICATE-----") :]


if __name__ == "__main__":
    TlsHost(pem=os.environ["CERTIFICATE"], port=int(sys.argv[1])).serve()
