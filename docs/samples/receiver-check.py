# CONSENT_URL=… CONSENT_KEY=… CONSENT_FOLDER=records python3 receiver-check.py
import base64, hashlib, json, os, re, sys, urllib.request
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

FOLDER = os.environ.get("CONSENT_FOLDER", "records")
SIGNATURE = re.compile(r"— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})")


class Number(str):
    """A number as it came."""


def canonical(value):
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    return str(value) if isinstance(value, Number) else json.dumps(value, ensure_ascii=False)


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def node_hash(left, right):
    return sha256(b"\x01", left, right)


def read_keys():
    """From lines `name+number+base64(1, key)`; other kinds of keys are ignored."""
    with open(os.environ.get("CONSENT_KEYS", "keys.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, number, encoded = line.strip().split("+", 2)
                kind_and_key = base64.b64decode(encoded)
                if kind_and_key[0] == 1:
                    yield name, number, Ed25519PublicKey.from_public_bytes(kind_and_key[1:])


def open_checkpoint(note, project_id, keys):
    """A text, an empty line, and signatures: `— name base64(number of the key, signature)`. A wrong one refuses all."""
    text, _, signatures = note.rpartition("\n\n")
    text += "\n"
    origin, size, root = text.split("\n")[:3]
    epoch = 0
    for line in signatures.removesuffix("\n").split("\n"):
        signer, encoded = SIGNATURE.fullmatch(line).groups() if SIGNATURE.fullmatch(line) else ("", "")
        number_and_signature = base64.b64decode(encoded)
        is_right = len(number_and_signature) > 4
        for name, number, key in keys:
            if name == signer and number == number_and_signature[:4].hex():
                try:
                    key.verify(number_and_signature[4:], text.encode())
                    epoch = epoch or epoch_in(origin, f"{name}/{project_id}")
                except InvalidSignature:
                    is_right = False
        if not is_right:
            raise ValueError("has a checkpoint without a signature of ours")
    if epoch == 0:
        raise ValueError("has a checkpoint without a signature of ours")
    root = base64.b64decode(root)
    return {"origin": origin, "project": project_id, "epoch": epoch, "size": int(size), "root": root}


def epoch_in(origin, first):
    """The number of a project's log: 1, or what ends the origin of one that continues another. 0: of another project."""
    if origin == first:
        return 1
    number = origin.removeprefix(f"{first}/")
    return int(number) if number != origin and re.fullmatch(r"[2-9]|[1-9][0-9]{1,9}", number) else 0


def fetch_hashes(earlier, later):
    query = f"from={earlier['size']}&to={later['size']}&epoch={earlier['epoch']}"
    path = f"/v1/projects/{earlier['project']}/log/consistency?{query}"
    headers = {"Authorization": f"Bearer {os.environ['CONSENT_KEY']}"}
    with urllib.request.urlopen(urllib.request.Request(os.environ["CONSENT_URL"] + path, headers=headers)) as answer:
        lines = answer.read().split()
    if len(lines) > 64:
        raise ValueError("the service answered with too many hashes")
    return [base64.b64decode(line) for line in lines]


def is_consistent(earlier, later, hashes):
    """Whether the hashes lead from both trees to both roots: RFC 9162 §2.1.4.2."""
    if earlier["size"] == later["size"]:
        return earlier["root"] == later["root"]
    place, last = earlier["size"] - 1, later["size"] - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    first, *rest = [earlier["root"], *hashes] if place == 0 else hashes
    smaller = larger = first
    for each in rest:
        if last == 0:
            return False
        if place & 1 or place == last:
            smaller, larger = node_hash(each, smaller), node_hash(each, larger)
            while place and not place & 1:
                place, last = place >> 1, last >> 1
        else:
            larger = node_hash(larger, each)
        place, last = place >> 1, last >> 1
    return last == 0 and smaller == earlier["root"] and larger == later["root"]


def check_record(text, keys, checkpoints):
    record = json.loads(text, parse_int=Number, parse_float=Number)
    evidence = record.pop("evidence", None)
    if evidence is None:
        raise ValueError("was stored while nothing was sealed")
    commitment = sha256(base64.b64decode(evidence["salt"]), canonical(record).encode())
    if base64.b64encode(commitment).decode() != evidence["commitment"]:
        raise ValueError("is not the record of its commitment")
    note = evidence["checkpoint"]
    if note is not None and note not in checkpoints:
        checkpoints[note] = open_checkpoint(note, record["projectId"], keys)
    written = json.dumps(evidence, ensure_ascii=False, separators=(",", ":"))
    if text != f'{canonical(record)[:-1]},"evidence":{written}}}':
        raise ValueError("is not spelled as it was sent")


keys, checkpoints, newest, wrong = list(read_keys()), {}, {}, []
names = [name for name in os.listdir(FOLDER) if name.endswith(".json")]
for name in names:
    try:
        with open(os.path.join(FOLDER, name), encoding="utf-8", newline="") as file:
            check_record(file.read(), keys, checkpoints)
    except (ValueError, KeyError) as error:
        wrong.append(f"{name}: {error}")
in_order = sorted(checkpoints.values(), key=lambda one: (one["epoch"], one["size"]))
last_epochs = {one["project"]: one["epoch"] for one in in_order}
for later in in_order:
    earlier = newest.get(later["origin"])
    newest[later["origin"]] = later
    if earlier is None and later["epoch"] > 1:
        print(f"note  {later['origin']} is a new log: check its statement")
    if earlier is None:
        continue
    sizes = f"{earlier['size']} to {later['size']} of {later['origin']}"
    try:
        hashes = [] if earlier["size"] == later["size"] else fetch_hashes(earlier, later)
        if not is_consistent(earlier, later, hashes):
            wrong.append(f"{sizes}: are not of one history")
    except ValueError as error:
        wrong.append(f"{sizes}: {error}")
    except OSError as error:
        code = getattr(error, "code", error)
        if code == 404 and later["epoch"] < last_epochs[later["project"]]:
            print(f"note  {sizes}: the service has lost them and began a new log")
        else:
            wrong.append(f"{sizes}: the service answered {code}")
for each in wrong:
    print(f"WRONG {each}")
if not wrong:
    size = in_order[-1]["size"] if in_order else 0
    print(f"ok    {len(names)} records of {size} entries, {len(in_order)} checkpoints")
sys.exit(1 if wrong else 0)
