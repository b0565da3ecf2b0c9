<?php
/**
 * Plugin Name: Consent proxy
 *
 * Save as wp-content/mu-plugins/consent-proxy.php. Replace <projectId> and <secret>. Where you can change the web server,
 * use its guide instead: it is faster. Exclude /consent/ from page caches.
 */

add_action('plugins_loaded', function () {
    $uri = $_SERVER['REQUEST_URI'] ?? '';
    if (strpos($uri, '/consent/') !== 0 || strpos(rawurldecode($uri), '/..') !== false) {
        return;
    }
    $headers = [
        'Content-Type' => $_SERVER['CONTENT_TYPE'] ?? 'text/plain',
        'X-Service-Proxy-Secret' => '<secret>',
        'X-Service-Visitor-Address' => $_SERVER['REMOTE_ADDR'],
        'X-Forwarded-Host' => $_SERVER['HTTP_HOST'],
        'X-Forwarded-Prefix' => '/consent',
    ];
    foreach (['HTTP_ORIGIN' => 'Origin', 'HTTP_IF_NONE_MATCH' => 'If-None-Match', 'HTTP_USER_AGENT' => 'User-Agent'] as $from => $to) {
        if (isset($_SERVER[$from])) {
            $headers[$to] = $_SERVER[$from];
        }
    }
    $answer = wp_remote_request('https://consent.example.com/first-party/<projectId>' . substr($uri, strlen('/consent')), [
        'method' => $_SERVER['REQUEST_METHOD'],
        'headers' => $headers,
        'body' => file_get_contents('php://input'),
        'timeout' => 10,
        'redirection' => 0,
    ]);
    if (is_wp_error($answer)) {
        status_header(502);
        exit;
    }
    status_header(wp_remote_retrieve_response_code($answer));
    foreach (['content-type', 'cache-control', 'etag', 'date', 'location', 'retry-after', 'set-cookie'] as $name) {
        foreach ((array) wp_remote_retrieve_header($answer, $name) as $value) {
            if ($value !== '') {
                header($name . ': ' . $value, false);
            }
        }
    }
    echo wp_remote_retrieve_body($answer);
    exit;
});
