# CONSENT_TOKEN=… CONSENT_FOLDER=records python3 receiver.py
import base64, contextlib, hmac, json, os, re, ssl, time, uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

EXPECTED = f"Bearer {os.environ['CONSENT_TOKEN']}".encode()
SIGNING_SECRET = os.environ.get("CONSENT_SIGNING_SECRET", "")
SIGNING_KEY = base64.b64decode(SIGNING_SECRET.removeprefix("whsec_"))
FOLDER = os.environ.get("CONSENT_FOLDER", "records")
BODY_BYTES_MAX = 64 * 1024
TOLERANCE_SECONDS = 300
ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def is_signed(headers, body):
    sent_at = headers.get("webhook-timestamp", "")
    if not sent_at.isdecimal() or abs(time.time() - int(sent_at)) > TOLERANCE_SECONDS:
        return False
    content = f"{headers.get('webhook-id')}.{sent_at}.".encode() + body
    signature = b"v1," + base64.b64encode(hmac.digest(SIGNING_KEY, content, "sha256"))
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(one, signature) for one in given)


def store(name, body):
    """Whole or not at all; the same record again replaces itself."""
    temporary = os.path.join(FOLDER, f".{name}.{uuid.uuid4()}")
    with open(temporary, "xb") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, os.path.join(FOLDER, name))


def drop_erased(consent_id):
    if os.path.exists(os.path.join(FOLDER, f"{consent_id}.erased")):
        with contextlib.suppress(FileNotFoundError):
            os.remove(os.path.join(FOLDER, f"{consent_id}.json"))


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20  # seconds of silence, then the connection ends

    def setup(self):
        self.request.settimeout(self.timeout)
        self.request.do_handshake()  # here, in the thread of this connection: a silent client holds up nobody
        super().setup()

    def do_POST(self):
        try:
            status = self.receive()
        except Exception as error:  # a failed store, or a connection that broke off
            print(repr(error), flush=True)
            status = 500
        self.answer(status)

    def receive(self):
        """The status to answer. Raises where the body breaks off or the record cannot be stored."""
        self.close_connection = True  # until the body has been read
        if not hmac.compare_digest(self.headers.get("Authorization", "").encode(), EXPECTED):
            return 401
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            return 411
        if int(length) > BODY_BYTES_MAX:
            return 413
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            raise ConnectionError("the body broke off")
        self.close_connection = False
        if SIGNING_SECRET and not is_signed(self.headers, body):
            return 401
        try:
            record = json.loads(body)
        except ValueError:
            return 400
        webhook_id = self.headers.get("webhook-id", "")
        consent_id = webhook_id.removeprefix("erase_")
        is_erasure = webhook_id != consent_id
        if not isinstance(record, dict) or not ID.fullmatch(consent_id) or record.get("id") != consent_id:
            return 400
        if (record.get("action") == "erase") != is_erasure:
            return 400
        if record.get("action") == "test" and record.get("test") is True:
            return 204
        store(f"{consent_id}.{'erased' if is_erasure else 'json'}", body)
        drop_erased(consent_id)
        return 204

    def answer(self, status):
        body = b"" if status == 204 else json.dumps({"error": f"answered {status}"}).encode()
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "8443"))), Receiver)
context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain("cert.pem", "key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
server.serve_forever()
