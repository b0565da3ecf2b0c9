// proxy.js beside your app folder (middleware.js up to Next.js 15). Set CONSENT_PROXY_SECRET, and replace <projectId>.
import { NextResponse } from 'next/server';

export const config = { matcher: '/consent/:path*' };

export function proxy(request) {
  const { pathname, search, host } = request.nextUrl;
  const headers = new Headers(request.headers);
  // Cookies of your site are not needed.
  headers.delete('cookie');
  headers.set('x-service-proxy-secret', process.env.CONSENT_PROXY_SECRET);
  headers.set('x-forwarded-host', host);
  headers.set('x-forwarded-prefix', '/consent');
  // Both are set by Vercel; on your own server, set the address that your load balancer names.
  const address = request.headers.get('x-real-ip');
  const country = request.headers.get('x-vercel-ip-country');
  if (address) headers.set('x-service-visitor-address', address);
  if (country) headers.set('x-service-visitor-country', country);
  const target =
    'https://consent.example.com/first-party/<projectId>' + pathname.slice('/consent'.length) + search;
  return NextResponse.rewrite(target, { request: { headers } });
}
