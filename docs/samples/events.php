<?php
// EVENT_SECRET=whsec_… php -S 127.0.0.1:3000 events.php    in production behind your web server, which ends TLS
const BODY_BYTES_MAX = 64 * 1024;
const TOLERANCE_SECONDS = 300;

function header_value(string $name): string
{
    return $_SERVER['HTTP_' . strtoupper(strtr($name, '-', '_'))] ?? '';
}

function is_signed(string $body): bool
{
    $key = base64_decode(preg_replace('/^whsec_/', '', (string) getenv('EVENT_SECRET')));
    $sentAt = header_value('webhook-timestamp');
    if ($key === '' || !ctype_digit($sentAt) || abs(time() - (int) $sentAt) > TOLERANCE_SECONDS) {
        return false;
    }
    $content = header_value('webhook-id') . '.' . $sentAt . '.' . $body;
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $content, $key, true));
    foreach (explode(' ', header_value('webhook-signature')) as $given) {
        if (hash_equals($expected, $given)) {
            return true;
        }
    }
    return false;
}

function handle(array $event): void
{
    file_put_contents('php://stderr', "{$event['type']} {$event['data']['id']}\n");
}

$body = (string) file_get_contents('php://input', false, null, 0, BODY_BYTES_MAX + 1);
if (strlen($body) > BODY_BYTES_MAX) {
    http_response_code(413);
} elseif (!is_signed($body)) {
    http_response_code(401);
} else {
    // Ids of handled events; keep them in your database, with what the event changed.
    $mark = sys_get_temp_dir() . '/event-' . hash('sha256', header_value('webhook-id'));
    if (!file_exists($mark)) {
        handle(json_decode($body, true, 32, JSON_THROW_ON_ERROR));
        touch($mark);
    }
    http_response_code(204);
}
