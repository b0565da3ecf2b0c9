# EVENT_SECRET=whsec_… PORT=3000 python3 events.py    behind a proxy that ends TLS
import base64, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["EVENT_SECRET"].removeprefix("whsec_"))
BODY_BYTES_MAX = 64 * 1024
TOLERANCE_SECONDS = 300

handled = set()  # ids of events; keep them in your database, with what the event changed


def is_signed(headers, body):
    sent_at = headers.get("webhook-timestamp", "")
    if not sent_at.isdecimal() or abs(time.time() - int(sent_at)) > TOLERANCE_SECONDS:
        return False
    content = f"{headers.get('webhook-id')}.{sent_at}.".encode() + body
    signature = b"v1," + base64.b64encode(hmac.digest(KEY, content, "sha256"))
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(one, signature) for one in given)


def handle(event):
    print(event["type"], event["data"]["id"], flush=True)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20  # seconds of silence, then the connection ends

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > BODY_BYTES_MAX:
            self.close_connection = True
            return self.answer(413)
        body = self.rfile.read(int(length))
        if not is_signed(self.headers, body):
            return self.answer(401)
        event_id = self.headers["webhook-id"]
        if event_id not in handled:
            handle(json.loads(body))
        handled.add(event_id)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver).serve_forever()
