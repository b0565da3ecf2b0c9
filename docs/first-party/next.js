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
  // Visitors can send these.
  for (const name of ['address', 'country', 'subdivision']) headers.delete('x-service-visitor-' + name);
  // Set by Vercel. On your own server, use headers that your load balancer overwrites.
  if (process.env.VERCEL) {
    headers.set('x-service-visitor-address', request.headers.get('x-real-ip') ?? '');
    headers.set('x-service-visitor-country', request.headers.get('x-vercel-ip-country') ?? '');
    headers.set('x-service-visitor-subdivision', request.headers.get('x-vercel-ip-country-region') ?? '');
  }
  const target =
    'https://consent.example.com/first-party/<projectId>' + pathname.slice('/consent'.length) + search;
  return NextResponse.rewrite(target, { request: { headers } });
}
