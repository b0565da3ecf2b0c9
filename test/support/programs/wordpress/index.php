<?php
/** As much of WordPress as a plugin with hooks and HTTP needs, for `php -S`: every request goes through it. */
define('ABSPATH', __DIR__ . '/');
define('CONSENT_SERVICE_URL', getenv('CONSENT_SERVICE_URL'));
define('CONSENT_SERVICE_PROJECT', getenv('CONSENT_SERVICE_PROJECT'));
if (getenv('CONSENT_SERVICE_SECRET')) {
    define('CONSENT_SERVICE_SECRET', getenv('CONSENT_SERVICE_SECRET'));
}

$hooks = [];
function add_filter($name, $callback, $priority = 10) { $GLOBALS['hooks'][$name][$priority][] = $callback; }
function add_action($name, $callback, $priority = 10) { add_filter($name, $callback, $priority); }
function apply_filters($name, $value) {
    $callbacks = $GLOBALS['hooks'][$name] ?? [];
    ksort($callbacks);
    foreach (array_merge([], ...array_values($callbacks)) as $callback) {
        $value = $callback($value);
    }
    return $value;
}
function do_action($name) { apply_filters($name, null); }
function __return_true() { return true; }
function plugin_basename($file) { return 'consent-service/' . basename($file); }
function home_url($path) { return 'http://' . $_SERVER['HTTP_HOST'] . $path; }
function esc_url($url) { return htmlspecialchars($url); }
function wp_parse_url($url, $component) { return parse_url($url, $component); }
function status_header($code) { http_response_code($code); }
function is_wp_error($response) { return $response === false; }
function wp_remote_retrieve_response_code($response) { return $response['code']; }
function wp_remote_retrieve_body($response) { return $response['body']; }
function wp_remote_retrieve_header($response, $name) { return $response['headers'][$name] ?? ''; }
function wp_remote_request($url, $options) {
    $lines = [];
    foreach ($options['headers'] as $name => $value) {
        $lines[] = "$name: $value";
    }
    $body = @file_get_contents($url, false, stream_context_create(['http' => [
        'method' => $options['method'],
        'header' => $lines,
        'content' => $options['body'],
        'timeout' => $options['timeout'],
        'follow_location' => $options['redirection'],
        'ignore_errors' => true,
    ]]));
    if ($body === false) {
        return false;
    }
    $headers = [];
    foreach (array_slice($http_response_header, 1) as $line) {
        [$name, $value] = explode(': ', $line, 2);
        $headers[strtolower($name)][] = $value;
    }
    preg_match('/ (\d{3})/', $http_response_header[0], $status);
    return ['code' => (int) $status[1], 'body' => $body, 'headers' => $headers];
}

require getenv('PLUGIN');
do_action('plugins_loaded');
header('Set-Cookie: wordpress_logged_in=of-the-site; HttpOnly');
echo '<!doctype html><html lang="en"><head><title>A blog</title>';
echo '<script>window.wp_set_consent = (...given) => (window.consents ??= []).push(given);</script>';
do_action('wp_head');
echo '</head><body><h1>A blog</h1><output>', json_encode([
    'registered' => apply_filters('wp_consent_api_registered_consent-service/consent-service.php', false),
    'type' => apply_filters('wp_get_consent_type', false),
    'waits' => apply_filters('wp_consent_api_waitfor_consent_hook', false),
]), '</output></body></html>';
