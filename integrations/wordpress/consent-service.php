<?php
/**
 * Plugin Name: Consent Service
 * Description: Shows the consent banner, serves it from the site's own host, and registers with the WP Consent API.
 * Version: 1.0.0
 * Requires PHP: 7.4
 * License: GPL-2.0-or-later
 * License URI: https://www.gnu.org/licenses/gpl-2.0.html
 *
 * Needs CONSENT_SERVICE_URL and CONSENT_SERVICE_PROJECT in wp-config.php; with CONSENT_SERVICE_SECRET, everything goes
 * through /consent/ on this site. Exclude /consent/ from page caches.
 */

defined('ABSPATH') || exit;
if (!defined('CONSENT_SERVICE_URL') || !defined('CONSENT_SERVICE_PROJECT')) {
    return;
}

// First in the head, so that consent is denied before any other script runs.
add_action('wp_head', function () {
    $base = defined('CONSENT_SERVICE_SECRET') ? home_url('/consent') : CONSENT_SERVICE_URL;
    printf('<script src="%s"></script>' . "\n", esc_url($base . '/cdn/' . CONSENT_SERVICE_PROJECT . '/loader.js'));
}, -1000);

// The banner's script says which type holds in the visitor's region (signal "WP Consent API"); until then: opt-in.
add_filter('wp_consent_api_registered_' . plugin_basename(__FILE__), '__return_true');
add_filter('wp_get_consent_type', function () { return 'optin'; });
add_filter('wp_consent_api_waitfor_consent_hook', '__return_true');

// Forwards /consent/ without the site's cookies.
add_action('plugins_loaded', function () {
    $prefix = rtrim((string) wp_parse_url(home_url('/consent'), PHP_URL_PATH), '/');
    $uri = $_SERVER['REQUEST_URI'] ?? '';
    if (!defined('CONSENT_SERVICE_SECRET') || strpos($uri, $prefix . '/') !== 0 || strpos(rawurldecode($uri), '/..') !== false) {
        return;
    }
    $headers = [
        'Content-Type' => $_SERVER['CONTENT_TYPE'] ?? 'text/plain',
        'X-Service-Proxy-Secret' => CONSENT_SERVICE_SECRET,
        'X-Service-Visitor-Address' => $_SERVER['REMOTE_ADDR'],
        'X-Forwarded-Host' => $_SERVER['HTTP_HOST'],
        'X-Forwarded-Prefix' => $prefix,
    ];
    foreach (['HTTP_ORIGIN' => 'Origin', 'HTTP_IF_NONE_MATCH' => 'If-None-Match', 'HTTP_USER_AGENT' => 'User-Agent'] as $from => $to) {
        if (isset($_SERVER[$from])) {
            $headers[$to] = $_SERVER[$from];
        }
    }
    $response = wp_remote_request(
        rtrim(CONSENT_SERVICE_URL, '/') . '/first-party/' . CONSENT_SERVICE_PROJECT . substr($uri, strlen($prefix)),
        [
            'method' => $_SERVER['REQUEST_METHOD'],
            'headers' => $headers,
            'body' => file_get_contents('php://input'),
            'timeout' => 10,
            'redirection' => 0,
        ]
    );
    if (is_wp_error($response)) {
        status_header(502);
        exit;
    }
    status_header(wp_remote_retrieve_response_code($response));
    foreach (['content-type', 'cache-control', 'etag', 'date', 'location', 'retry-after', 'set-cookie'] as $name) {
        foreach ((array) wp_remote_retrieve_header($response, $name) as $value) {
            if ($value !== '') {
                header($name . ': ' . $value, false);
            }
        }
    }
    echo wp_remote_retrieve_body($response);
    exit;
});
