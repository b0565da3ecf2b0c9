<?php
// CONSENT_URL=… CONSENT_KEY=… CONSENT_FOLDER=records php receiver-check.php
const TOKEN = '/"(?:[^"\\\\]++|\\\\.)*+"|-?\d[\d.eE+-]*/';

/** Numbers as they came: texts with a NUL ahead, which no record can hold. */
function decode(string $json): object
{
    $kept = preg_replace_callback(TOKEN, fn($m) => $m[0][0] === '"' ? $m[0] : "\"\\u0000$m[0]\"", $json);
    return json_decode($kept, flags: JSON_THROW_ON_ERROR);
}

function canonical(mixed $value): string
{
    if (is_array($value)) return '[' . implode(',', array_map(canonical(...), $value)) . ']';
    if (is_object($value)) {
        $members = [];
        foreach ($value as $name => $member) {
            $members[iconv('UTF-8', 'UTF-16BE', $name)] = canonical((string) $name) . ':' . canonical($member);
        }
        ksort($members, SORT_STRING);
        return '{' . implode(',', $members) . '}';
    }
    if (is_string($value) && ($value[0] ?? '') === "\0") return substr($value, 1);
    return json_encode($value, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_LINE_TERMINATORS);
}

function nodeHash(string $left, string $right): string
{
    return hash('sha256', "\x01$left$right", true);
}

/** From lines `name+number+base64(1, key)`: name, number and key each; other kinds of keys are ignored. */
function readKeys(): array
{
    $lines = preg_grep('/^[^#\s]/', file(getenv('CONSENT_KEYS') ?: 'keys.txt'));
    $parts = array_map(fn($line) => explode('+', trim($line), 3), $lines);
    $known = array_filter($parts, fn($part) => base64_decode($part[2])[0] === "\x01");
    return array_map(fn($part) => [$part[0], $part[1], substr(base64_decode($part[2]), 1)], $known);
}

/** A text, an empty line, and signatures: `— name base64(number of the key, signature)`. A wrong one refuses all. */
function openCheckpoint(string $note, string $projectId, array $keys): array
{
    $end = strrpos($note, "\n\n") + 1;
    $text = substr($note, 0, $end);
    [$origin, $size, $root] = explode("\n", $text);
    $epoch = 0;
    foreach (explode("\n", substr($note, $end + 1, -1)) as $line) {
        preg_match('~^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$~D', $line, $signed);
        $bytes = base64_decode($signed[2] ?? '');
        $isRight = strlen($bytes) > 4;
        foreach ($keys as [$name, $number, $key]) {
            if ($name !== ($signed[1] ?? '') || $number !== bin2hex(substr($bytes, 0, 4))) continue;
            $signature = substr($bytes, 4);
            $isRight = $isRight && strlen($signature) === 64
                && sodium_crypto_sign_verify_detached($signature, $text, $key);
            $epoch = $epoch ?: epochIn($origin, "$name/$projectId");
        }
        if (!$isRight) throw new RuntimeException('has a checkpoint without a signature of ours');
    }
    if ($epoch === 0) throw new RuntimeException('has a checkpoint without a signature of ours');
    return compact('origin', 'projectId', 'epoch') + ['size' => (int) $size, 'root' => base64_decode($root)];
}

/** The number of a project's log: 1, or what ends the origin of one that continues another. 0: of another project. */
function epochIn(string $origin, string $first): int
{
    if ($origin === $first) return 1;
    $number = str_starts_with($origin, "$first/") ? substr($origin, strlen($first) + 1) : '';
    return preg_match('/^([2-9]|[1-9]\d{1,9})$/D', $number) ? (int) $number : 0;
}

function fetchHashes(array $earlier, array $later): array
{
    $query = "from=$earlier[size]&to=$later[size]&epoch=$earlier[epoch]";
    $path = "/v1/projects/$earlier[projectId]/log/consistency?$query";
    $header = 'Authorization: Bearer ' . getenv('CONSENT_KEY');
    $context = stream_context_create(['http' => ['header' => $header, 'ignore_errors' => true]]);
    $answer = @file_get_contents(getenv('CONSENT_URL') . $path, false, $context);
    $status = explode(' ', $http_response_header[0] ?? 'HTTP nothing')[1];
    if ($status !== '200') throw new RuntimeException("the service answered $status", (int) $status);
    $lines = explode("\n", trim($answer));
    if (count($lines) > 64) throw new RuntimeException('the service answered with too many hashes');
    return array_map(base64_decode(...), $lines);
}

/** Whether the hashes lead from both trees to both roots: RFC 9162 §2.1.4.2. */
function isConsistent(array $earlier, array $later, array $hashes): bool
{
    if ($earlier['size'] === $later['size']) return $earlier['root'] === $later['root'];
    [$place, $last] = [$earlier['size'] - 1, $later['size'] - 1];
    while ($place & 1) [$place, $last] = [$place >> 1, $last >> 1];
    if ($place === 0) array_unshift($hashes, $earlier['root']);
    $smaller = $larger = array_shift($hashes);
    foreach ($hashes as $hash) {
        if ($last === 0) return false;
        if ($place & 1 || $place === $last) {
            [$smaller, $larger] = [nodeHash($hash, $smaller), nodeHash($hash, $larger)];
            while ($place > 0 && !($place & 1)) [$place, $last] = [$place >> 1, $last >> 1];
        } else {
            $larger = nodeHash($larger, $hash);
        }
        [$place, $last] = [$place >> 1, $last >> 1];
    }
    return $last === 0 && $smaller === $earlier['root'] && $larger === $later['root'];
}

function checkRecord(string $text, array $keys, array &$checkpoints): void
{
    $record = decode($text);
    $evidence = $record->evidence ?? throw new RuntimeException('was stored while nothing was sealed');
    unset($record->evidence);
    $commitment = hash('sha256', base64_decode($evidence->salt) . canonical($record), true);
    if (base64_encode($commitment) !== $evidence->commitment) {
        throw new RuntimeException('is not the record of its commitment');
    }
    $note = $evidence->checkpoint;
    if ($note !== null) $checkpoints[$note] ??= openCheckpoint($note, $record->projectId, $keys);
    $written = json_encode($evidence, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
    if ($text !== substr(canonical($record), 0, -1) . ",\"evidence\":$written}") {
        throw new RuntimeException('is not spelled as it was sent');
    }
}

[$keys, $checkpoints, $newest, $wrong] = [readKeys(), [], [], []];
$files = glob((getenv('CONSENT_FOLDER') ?: 'records') . '/*.json');
foreach ($files as $file) {
    try {
        checkRecord(file_get_contents($file), $keys, $checkpoints);
    } catch (Exception $error) {
        $wrong[] = basename($file) . ': ' . $error->getMessage();
    }
}
usort($checkpoints, fn($one, $other) => [$one['epoch'], $one['size']] <=> [$other['epoch'], $other['size']]);
$lastEpochs = array_column($checkpoints, 'epoch', 'projectId');
foreach ($checkpoints as $later) {
    $earlier = $newest[$later['origin']] ?? null;
    $newest[$later['origin']] = $later;
    if ($earlier === null && $later['epoch'] > 1) echo "note  $later[origin] is a new log: check its statement\n";
    if ($earlier === null) continue;
    $sizes = "$earlier[size] to $later[size] of $later[origin]";
    try {
        $hashes = $earlier['size'] === $later['size'] ? [] : fetchHashes($earlier, $later);
        if (!isConsistent($earlier, $later, $hashes)) $wrong[] = "$sizes: are not of one history";
    } catch (Exception $error) {
        if ($error->getCode() === 404 && $later['epoch'] < $lastEpochs[$later['projectId']]) {
            echo "note  $sizes: the service has lost them and began a new log\n";
        } else {
            $wrong[] = "$sizes: " . $error->getMessage();
        }
    }
}
foreach ($wrong as $each) echo "WRONG $each\n";
if ($wrong === []) {
    $size = end($checkpoints)['size'] ?? 0;
    echo 'ok    ' . count($files) . " records of $size entries, " . count($checkpoints) . " checkpoints\n";
}
exit($wrong === [] ? 0 : 1);
