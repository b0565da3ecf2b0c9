import { crossSite, MAIN, type TechniqueGroup, text } from './technique.js';

/** What hides below other documents. */
export const FRAMES: TechniqueGroup = {
  path: '/frames',
  techniques: [
    {
      name: 'Frames of other sites inside each other',
      found: 'cookies and entries of both sites',
      html: ({ https }) => `<iframe src="${https('outer.example', '/outer-frame')}"></iframe>`,
      truth: ({ host }) => [
        { kind: 'cookie', name: 'outer_cookie', host: 'outer.example', thirdParty: true },
        { kind: 'cookie', name: 'inner_cookie', host: 'inner.example', thirdParty: true, setBy: 'script' },
        { kind: 'local_storage', name: 'inner_entry', host: host('inner.example'), thirdParty: true },
      ],
    },
    {
      name: 'Sandboxed frame',
      found: 'requests and calls',
      html: ({ https }) =>
        `<iframe sandbox="allow-scripts" src="${https('ads.example', '/sandboxed-frame')}"></iframe>`,
      truth: ({ host }) => [
        { kind: 'request', name: '/from-sandbox', host: host('ads.example'), type: 'image' },
        { kind: 'fingerprint', name: 'canvas.toDataURL', host: host('ads.example'), thirdParty: true },
      ],
    },
    {
      name: 'Frame without an address (`srcdoc`)',
      found: "cookie of the page's host",
      html: () =>
        `<iframe srcdoc="<script>document.cookie = 'srcdoc_cookie=1; max-age=86400'</script>"></iframe>`,
      truth: () => [{ kind: 'cookie', name: 'srcdoc_cookie', host: MAIN, setBy: 'script' }],
    },
    {
      name: 'Storage of frames without an address (`srcdoc`, `about:blank`)',
      found: "entries of the page's host, each once",
      html: () =>
        `<iframe srcdoc="<script>localStorage.setItem('srcdoc_entry', '1')</script>"></iframe><iframe id="blank"></iframe>
        <script>blank.contentWindow.localStorage.setItem('blank_entry', '1')</script>`,
      truth: ({ host }) => [
        { kind: 'local_storage', name: 'srcdoc_entry', host: host(MAIN), thirdParty: false },
        { kind: 'local_storage', name: 'blank_entry', host: host(MAIN), thirdParty: false },
      ],
    },
    {
      name: 'Shadow DOM, open and closed',
      found: 'requests and frames below it',
      html: ({ https }) => `<div id="open"></div><div id="closed"></div><script>
        open_ = document.getElementById('open').attachShadow({ mode: 'open' });
        open_.innerHTML = '<img src="${https('ads.example', '/open-shadow')}">';
        document.getElementById('closed').attachShadow({ mode: 'closed' }).innerHTML = '<iframe src="${https('ads.example', '/closed-shadow')}"></iframe>';
      </script>`,
      truth: ({ host }) => [
        { kind: 'request', name: '/open-shadow', host: host('ads.example'), type: 'image' },
        { kind: 'request', name: '/closed-shadow', host: host('ads.example'), type: 'document' },
        { kind: 'cookie', name: 'closed_shadow', host: 'ads.example', setBy: 'script' },
      ],
    },
  ],
  routes: {
    '/outer-frame': (_request, response, { https }) => {
      response.setHeader('set-cookie', crossSite('outer_cookie'));
      text(response, 'text/html', `<iframe src="${https('inner.example', '/inner-frame')}"></iframe>`);
    },
    '/inner-frame': (_request, response) =>
      text(
        response,
        'text/html',
        `<script>document.cookie = '${crossSite('inner_cookie')}'; localStorage.setItem('inner_entry', '1')</script>`,
      ),
    '/sandboxed-frame': (_request, response) =>
      text(
        response,
        'text/html',
        `<img src="/from-sandbox"><script>
          const canvas = document.createElement('canvas');
          canvas.getContext('2d').fillText('device', 10, 10);
          canvas.toDataURL();
        </script>`,
      ),
    '/from-sandbox': (_request, response) => void response.writeHead(204).end(),
    '/open-shadow': (_request, response) => void response.writeHead(204).end(),
    '/closed-shadow': (_request, response) =>
      text(response, 'text/html', `<script>document.cookie = '${crossSite('closed_shadow')}'</script>`),
  },
};
