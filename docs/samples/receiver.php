<?php
// CONSENT_TOKEN, CONSENT_SIGNING_SECRET and CONSENT_FOLDER come from the web server's environment.
const BODY_BYTES_MAX = 64 * 1024;
const TOLERANCE_SECONDS = 300;
const ID = '/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/D';

/** The status to answer. Throws where the record cannot be stored. */
function receive(): int
{
    $expected = 'Bearer ' . getenv('CONSENT_TOKEN');
    if (!hash_equals($expected, $_SERVER['HTTP_AUTHORIZATION'] ?? '')) return 401;
    $length = (int) ($_SERVER['CONTENT_LENGTH'] ?? 0);
    if ($length > BODY_BYTES_MAX) return 413;
    $body = file_get_contents('php://input');
    if (strlen($body) !== $length) return 400; // it broke off
    if (getenv('CONSENT_SIGNING_SECRET') && !isSigned($body)) return 401;
    $record = json_decode($body, true);
    $id = preg_replace('/^erase_/', '', $_SERVER['HTTP_WEBHOOK_ID'] ?? '', count: $isErasure);
    if (!is_array($record) || !preg_match(ID, $id) || ($record['id'] ?? null) !== $id) return 400;
    $action = $record['action'] ?? null;
    if (($action === 'erase') !== (bool) $isErasure) return 400;
    if ($action === 'test' && ($record['test'] ?? null) === true) return 204;
    store($id . ($isErasure ? '.erased' : '.json'), $body);
    if (is_file(folder() . "/$id.erased")) drop(folder() . "/$id.json");
    return 204;
}

function isSigned(string $body): bool
{
    $sentAt = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!ctype_digit($sentAt) || abs(time() - (int) $sentAt) > TOLERANCE_SECONDS) return false;
    $key = base64_decode(str_replace('whsec_', '', getenv('CONSENT_SIGNING_SECRET')));
    $content = ($_SERVER['HTTP_WEBHOOK_ID'] ?? '') . ".$sentAt.$body";
    $signature = 'v1,' . base64_encode(hash_hmac('sha256', $content, $key, true));
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $one) {
        if (hash_equals($signature, $one)) return true;
    }
    return false;
}

/** Whole or not at all; the same record again replaces itself. */
function store(string $name, string $body): void
{
    $temporary = folder() . "/.$name." . bin2hex(random_bytes(8));
    $file = @fopen($temporary, 'xb');
    if (!$file || fwrite($file, $body) !== strlen($body) || !fsync($file) || !fclose($file)) {
        throw new RuntimeException('the record cannot be written');
    }
    if (!rename($temporary, folder() . "/$name")) throw new RuntimeException('the record cannot be named');
}

function drop(string $file): void
{
    @unlink($file);
    if (is_file($file)) throw new RuntimeException('the record cannot be erased');
}

function folder(): string
{
    return getenv('CONSENT_FOLDER') ?: 'records';
}

try {
    $status = receive();
} catch (Throwable $error) {
    error_log($error->getMessage());
    $status = 500;
}
http_response_code($status);
if ($status !== 204) {
    header('Content-Type: application/json');
    echo json_encode(['error' => "answered $status"]);
}
