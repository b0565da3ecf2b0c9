// With the route www.shop.example/consent/*. Save the secret as PROXY_SECRET, and replace <projectId>.
export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const target =
      'https://consent.example.com/first-party/<projectId>' +
      url.pathname.slice('/consent'.length) +
      url.search;
    const headers = new Headers(request.headers);
    // Cookies of your site are not needed.
    headers.delete('Cookie');
    headers.set('X-Service-Proxy-Secret', env.PROXY_SECRET);
    headers.set('X-Service-Visitor-Address', request.headers.get('CF-Connecting-IP'));
    headers.set('X-Service-Visitor-Country', request.cf?.country ?? '');
    headers.set('X-Service-Visitor-Subdivision', request.cf?.regionCode ?? '');
    headers.set('X-Forwarded-Host', url.host);
    headers.set('X-Forwarded-Prefix', '/consent');
    const { method, body } = request;
    return fetch(target, { method, headers, body, redirect: 'manual' });
  },
};
