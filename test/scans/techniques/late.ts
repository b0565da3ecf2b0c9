import { MAIN, type TechniqueGroup, text } from './technique.js';

/** What happens only after some seconds, or when a visitor scrolls or clicks. */
export const LATE: TechniqueGroup = {
  path: '/late',
  techniques: [
    {
      name: 'Cookie that is set after 5 s',
      found: 'cookie, in the states',
      html: () =>
        `<script>setTimeout(() => { document.cookie = 'after_5_s=1; max-age=86400' }, 5000)</script>`,
      truth: () => [{ kind: 'cookie', name: 'after_5_s', host: MAIN, setBy: 'script' }],
    },
    {
      name: 'Cookie that is set on scroll',
      found: 'cookie, in the states',
      html: () =>
        `<div style="height: 6000px"></div><script>addEventListener('scroll', () => { document.cookie = 'on_scroll=1; max-age=86400' }, { once: true })</script>`,
      truth: () => [{ kind: 'cookie', name: 'on_scroll', host: MAIN, setBy: 'script' }],
    },
    {
      name: 'Image that loads when it is scrolled to (`loading="lazy"`)',
      found: 'request, in the states',
      html: ({ https }) => `<img loading="lazy" width="9" height="9" src="${https('ads.example', '/lazy')}">`,
      truth: ({ host }) => [{ kind: 'request', name: '/lazy', host: host('ads.example'), type: 'image' }],
    },
    {
      name: 'Cookie that is set on a click that is no consent',
      found: 'nothing: only consent controls are clicked',
      html: () => `<button onclick="document.cookie = 'on_click=1; max-age=86400'">Add to cart</button>`,
      truth: () => [],
      absent: ['on_click'],
    },
  ],
};

/** What happens when a page is left. */
export const LEFT: TechniqueGroup = {
  path: '/left',
  techniques: [
    {
      name: 'Cookie that is set when the page is left (`pagehide`)',
      found: 'cookie, set by the page that was left',
      html: () =>
        `<script>addEventListener('pagehide', () => { document.cookie = 'on_leave=1; max-age=86400' })</script>`,
      truth: ({ host }) => [
        {
          kind: 'cookie',
          name: 'on_leave',
          host: MAIN,
          setBy: 'script',
          initiator: `${host(MAIN)}/left`,
        },
      ],
    },
    {
      name: 'Beacon at `pagehide` and at `visibilitychange`',
      found: 'requests, type `ping`',
      html: ({ https }) =>
        `<script>
          addEventListener('pagehide', () => navigator.sendBeacon('${https('ads.example', '/hidden')}', 'five!'));
          document.addEventListener('visibilitychange', () => navigator.sendBeacon('${https('ads.example', '/invisible')}'));
        </script>`,
      truth: ({ host }) => [
        { kind: 'request', name: '/hidden', host: host('ads.example'), type: 'ping', bodyBytes: 5 },
        { kind: 'request', name: '/invisible', host: host('ads.example'), type: 'ping' },
      ],
    },
    {
      name: '`fetch` with `keepalive` at `pagehide`',
      found: 'request, type `fetch`, with the size of its body',
      html: ({ https }) =>
        `<script>addEventListener('pagehide', () => { void fetch('${https('ads.example', '/kept-at-end')}', { method: 'POST', mode: 'no-cors', keepalive: true, body: 'seven b' }) })</script>`,
      truth: ({ host }) => [
        {
          kind: 'request',
          name: '/kept-at-end',
          host: host('ads.example'),
          type: 'fetch',
          bodyBytes: 7,
          initiator: `${host(MAIN)}/left`,
        },
      ],
    },
    {
      name: '`fetchLater`',
      found: 'request, type `fetch_later`, with the size of its body',
      html: ({ https }) =>
        `<script>fetchLater('${https('ads.example', '/later')}', { method: 'POST', body: 'six by' })</script>`,
      truth: ({ host }) => [
        {
          kind: 'request',
          name: '/later',
          host: host('ads.example'),
          type: 'fetch_later',
          bodyBytes: 6,
          initiator: `${host(MAIN)}/left`,
        },
      ],
    },
  ],
  routes: {
    '/hidden': (_request, response) => void response.writeHead(204).end(),
    '/invisible': (_request, response) => void response.writeHead(204).end(),
    '/kept-at-end': (_request, response) => void response.writeHead(204).end(),
    '/later': (_request, response) => void response.writeHead(204).end(),
  },
};

export const MOVED: TechniqueGroup = {
  path: '/moves-on',
  techniques: [
    {
      name: 'Page that moves on by script',
      found: 'cookie of the page that it leads to',
      html: () => `<script>location.replace('/moved')</script>`,
      truth: () => [{ kind: 'cookie', name: 'moved', host: MAIN, setBy: 'script' }],
    },
  ],
  routes: {
    '/moved': (_request, response, { loaderTag }) =>
      text(response, 'text/html', `${loaderTag}<script>document.cookie = 'moved=1; max-age=86400'</script>`),
  },
};
