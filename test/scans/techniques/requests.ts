import { MAIN, type Route, type TechniqueGroup, text } from './technique.js';

const ADS = 'ads.example';

const empty: Route = (_request, response) => {
  response.setHeader('access-control-allow-origin', '*');
  response.writeHead(204).end();
};

/** What pages send, and to whom. */
export const REQUESTS: TechniqueGroup = {
  path: '/requests',
  techniques: [
    {
      name: 'Pixel',
      found: 'request, type `image`, with the names of its parameters',
      html: ({ https }) => `<img src="${https(ADS, '/pixel?visitor=42&page=1')}">`,
      truth: ({ host }) => [
        { kind: 'request', name: '/pixel?visitor&page', host: host(ADS), type: 'image', thirdParty: true },
      ],
    },
    {
      name: 'Beacon (`sendBeacon`)',
      found: 'request, type `ping`, with the size of its body',
      html: ({ https }) =>
        `<script>navigator.sendBeacon('${https(ADS, '/beacon')}', 'twelve bytes')</script>`,
      truth: ({ host }) => [
        { kind: 'request', name: '/beacon', host: host(ADS), type: 'ping', method: 'POST', bodyBytes: 12 },
      ],
    },
    {
      name: 'Ping (`<a ping>`) of a link that a script clicks',
      found: 'request, type `ping`',
      html: ({ https }) =>
        `<a id="pinging" href="#here" ping="${https(ADS, '/hyperlink')}"></a><script>pinging.click()</script>`,
      truth: ({ host }) => [
        { kind: 'request', name: '/hyperlink', host: host(ADS), type: 'ping', method: 'POST' },
      ],
    },
    {
      name: 'WebSocket',
      found: 'request, type `websocket`',
      html: ({ https }) =>
        `<script>new WebSocket('${https(ADS, '/socket').replace('https', 'wss')}')</script>`,
      truth: ({ host }) => [{ kind: 'request', name: '/socket', host: host(ADS), type: 'websocket' }],
    },
    {
      name: 'Server-sent events',
      found: 'request, type `eventsource`',
      html: ({ https }) => `<script>new EventSource('${https(ADS, '/events')}')</script>`,
      truth: ({ host }) => [{ kind: 'request', name: '/events', host: host(ADS), type: 'eventsource' }],
    },
    {
      name: '`fetch` with `keepalive`',
      found: 'request, type `fetch`, with the size of its body',
      html: ({ https }) =>
        `<script>fetch('${https(ADS, '/kept')}', { method: 'POST', mode: 'no-cors', keepalive: true, body: 'four' })</script>`,
      truth: ({ host }) => [
        { kind: 'request', name: '/kept', host: host(ADS), type: 'fetch', method: 'POST', bodyBytes: 4 },
      ],
    },
    {
      name: 'Image of a style sheet',
      found: 'request, type `image`, with the style sheet',
      html: () => `<link rel="stylesheet" href="/style.css"><div class="styled">.</div>`,
      truth: ({ host }) => [
        {
          kind: 'request',
          name: '/styled.gif',
          host: host(ADS),
          type: 'image',
          initiator: `${host(MAIN)}/style.css`,
        },
      ],
    },
    {
      name: 'Script that loads another script',
      found: 'request, type `script`, with the script that loads it',
      html: ({ https }) => `<script src="${https('tags.example', '/manager.js')}"></script>`,
      truth: ({ host }) => [
        {
          kind: 'request',
          name: '/managed.js',
          host: host(ADS),
          type: 'script',
          initiator: `${host('tags.example')}/manager.js`,
        },
      ],
    },
    {
      name: 'Prefetch',
      found: 'request',
      html: ({ https }) => `<link rel="prefetch" href="${https(ADS, '/prefetched')}">`,
      truth: ({ host }) => [{ kind: 'request', name: '/prefetched', host: host(ADS) }],
    },
    {
      name: 'Request of a worker',
      found: 'request, type `fetch`',
      html: () => `<script>new Worker('/fetching-worker.js')</script>`,
      truth: ({ host }) => [{ kind: 'request', name: '/from-worker', host: host(ADS) }],
    },
    {
      name: 'Request of a shared worker',
      found: 'nothing; it has the user agent of the scanner',
      html: () => `<script>new SharedWorker('/shared-worker.js')</script>`,
      truth: () => [],
      absent: ['/from-shared-worker'],
    },
    {
      name: 'Form that a script posts into a hidden frame',
      found: 'request, type `document`, with the size of its body',
      html: ({ https }) =>
        `<iframe name="posted" hidden></iframe><form id="posting" method="post" target="posted" action="${https(ADS, '/posted')}"><input type="hidden" name="a" value="b"></form><script>posting.submit()</script>`,
      truth: ({ host }) => [
        { kind: 'request', name: '/posted', host: host(ADS), type: 'document', method: 'POST', bodyBytes: 3 },
      ],
    },
    {
      name: 'Service worker',
      found: 'request, type `service_worker`; the worker is not started',
      html: () => `<script>navigator.serviceWorker.register('/service-worker.js')</script>`,
      truth: ({ host }) => [
        {
          kind: 'request',
          name: '/service-worker.js',
          host: host(MAIN),
          type: 'service_worker',
          initiator: `${host(MAIN)}/requests`,
        },
      ],
    },
  ],
  routes: {
    '/pixel': empty,
    '/beacon': empty,
    '/hyperlink': empty,
    '/kept': empty,
    '/styled.gif': empty,
    '/prefetched': empty,
    '/from-worker': empty,
    '/from-shared-worker': empty,
    '/posted': empty,
    '/events': (_request, response) => text(response, 'text/event-stream', 'data: 1\n\n'),
    '/style.css': (_request, response, { https }) =>
      text(response, 'text/css', `.styled { background: url(${https(ADS, '/styled.gif')}) }`),
    '/manager.js': (_request, response, { https }) =>
      text(
        response,
        'text/javascript',
        `document.head.append(Object.assign(document.createElement('script'), { src: '${https(ADS, '/managed.js')}' }))`,
      ),
    '/managed.js': (_request, response) => text(response, 'text/javascript', ''),
    '/fetching-worker.js': (_request, response, { https }) =>
      text(response, 'text/javascript', `fetch('${https(ADS, '/from-worker')}', { mode: 'no-cors' })`),
    '/shared-worker.js': (_request, response, { https }) =>
      text(response, 'text/javascript', `fetch('${https(ADS, '/from-shared-worker')}', { mode: 'no-cors' })`),
    '/service-worker.js': (_request, response) => text(response, 'text/javascript', ''),
  },
};
