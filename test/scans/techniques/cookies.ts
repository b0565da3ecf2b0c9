import { crossSite, MAIN, type Route, type TechniqueGroup, text } from './technique.js';

const redirect =
  (cookie: string, to: [host: string, path: string]): Route =>
  (_request, response, farm) => {
    response.writeHead(302, { 'set-cookie': crossSite(cookie), location: farm.https(...to) }).end();
  };

const setting =
  (cookie: string): Route =>
  ({ headers }, response) => {
    const origin = headers.origin ?? '*';
    response.setHeader('set-cookie', cookie);
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-allow-credentials', 'true');
    response.setHeader('content-type', 'image/gif');
    response.end();
  };

/** Cookies of all ways. */
export const COOKIES: TechniqueGroup = {
  path: '/cookies',
  techniques: [
    {
      name: 'Cookie of a response',
      found: 'cookie, set by the response',
      html: () => '',
      cookies: ['from_response=1; Max-Age=86400'],
      truth: () => [{ kind: 'cookie', name: 'from_response', host: MAIN, setBy: 'response' }],
    },
    {
      name: '`HttpOnly` cookie with the prefix `__Host-`',
      found: 'cookie, `httpOnly`',
      html: () => '',
      cookies: ['__Host-session=1; Secure; HttpOnly; Path=/'],
      truth: () => [
        { kind: 'cookie', name: '__Host-session', host: MAIN, httpOnly: true, setBy: 'response' },
      ],
    },
    {
      name: 'Cookie of a script (`document.cookie`)',
      found: 'cookie, set by the script',
      html: () => `<script>document.cookie = 'from_script=1; max-age=86400'</script>`,
      truth: ({ host }) => [
        {
          kind: 'cookie',
          name: 'from_script',
          host: MAIN,
          setBy: 'script',
          initiator: `${host(MAIN)}/cookies`,
        },
      ],
    },
    {
      name: '`CookieStore`',
      found: 'cookie, set by the script',
      html: () => `<script>cookieStore.set('from_store', '1')</script>`,
      truth: ({ host }) => [
        {
          kind: 'cookie',
          name: 'from_store',
          host: MAIN,
          setBy: 'script',
          initiator: `${host(MAIN)}/cookies`,
        },
      ],
    },
    {
      name: 'Third-party cookie',
      found: 'cookie of the other site',
      html: ({ https }) => `<img src="${https('ads.example', '/third-party')}">`,
      truth: () => [
        { kind: 'cookie', name: 'third_party', host: 'ads.example', thirdParty: true, setBy: 'response' },
      ],
    },
    {
      name: 'Cookie of a `fetch` with credentials',
      found: 'cookie of the other site',
      html: ({ https }) =>
        `<script>fetch('${https('ads.example', '/fetched')}', { credentials: 'include' })</script>`,
      truth: () => [{ kind: 'cookie', name: 'fetched', host: 'ads.example', thirdParty: true }],
    },
    {
      name: 'Partitioned cookie',
      found: 'cookie, `partitioned`',
      html: ({ https }) => `<img src="${https('chips.example', '/partitioned')}">`,
      truth: () => [{ kind: 'cookie', name: 'partitioned', host: 'chips.example', partitioned: true }],
    },
    {
      name: 'Cookie of a host that is a CNAME of a tracker',
      found: "cookie of the site's own host; the CNAME is not followed",
      html: ({ https }) => `<img src="${https('metrics.farm.example', '/cname')}">`,
      truth: ({ host }) => [
        { kind: 'cookie', name: 'cname_cookie', host: '.farm.example', thirdParty: false, setBy: 'response' },
        { kind: 'request', name: '/cname', host: host('metrics.farm.example') },
      ],
    },
    {
      name: 'Redirect chain that sets a cookie at each host',
      found: 'cookies of all hosts',
      html: ({ https }) => `<img src="${https('hop-one.example', '/hop-one')}">`,
      truth: ({ host }) => [
        { kind: 'cookie', name: 'hop_one', host: 'hop-one.example', thirdParty: true, setBy: 'response' },
        { kind: 'cookie', name: 'hop_two', host: 'hop-two.example', thirdParty: true, setBy: 'response' },
        { kind: 'cookie', name: 'hop_end', host: 'ads.example', thirdParty: true, setBy: 'response' },
        { kind: 'request', name: '/hop-two', host: host('hop-two.example'), httpStatus: 302 },
      ],
    },
    {
      name: 'Cookies of one name, set by a script and by a response of another site',
      found: 'both cookies, each with what set it',
      html: ({ https }) =>
        `<script src="${https('tags.example', '/clash.js')}"></script><img src="${https('ads.example', '/clash')}">`,
      truth: ({ host }) => [
        {
          kind: 'cookie',
          name: 'clash',
          host: MAIN,
          setBy: 'script',
          initiator: `${host('tags.example')}/clash.js`,
        },
        {
          kind: 'cookie',
          name: 'clash',
          host: 'ads.example',
          setBy: 'response',
          initiator: `${host('ads.example')}/clash`,
        },
      ],
    },
    {
      name: 'Cookie of a WebSocket (status 101)',
      found: 'cookie, set by the response; its address only if it is of the same origin',
      html: ({ https }) =>
        `<script>for (const url of ['${https('ads.example', '/socket-cookie')}', '${https(MAIN, '/socket-cookie')}']) new WebSocket(url.replace('https', 'wss'))</script>`,
      truth: ({ host }) => [
        { kind: 'cookie', name: 'socket_cookie', host: 'ads.example', setBy: 'response' },
        {
          kind: 'cookie',
          name: 'socket_cookie',
          host: MAIN,
          setBy: 'response',
          initiator: `${host(MAIN)}/socket-cookie`,
        },
      ],
    },
    {
      name: 'Cookie that is set, sent and removed',
      found: 'cookie, `removed`',
      html: ({ https }) =>
        `<script>
          document.cookie = 'passing=1; max-age=86400';
          document.cookie = 'never_stored=1; max-age=86400; domain=other.example';
          fetch('/passing').then(() => { document.cookie = 'passing=; max-age=0'; });
          fetch('${https('ads.example', '/passing-third')}', { credentials: 'include' })
            .then(() => fetch('${https('ads.example', '/passing-gone')}', { credentials: 'include' }));
        </script>`,
      truth: () => [
        { kind: 'cookie', name: 'passing', host: MAIN, setBy: 'script', sent: true, removed: true },
        {
          kind: 'cookie',
          name: 'passing_third',
          host: 'ads.example',
          thirdParty: true,
          setBy: 'response',
          sent: true,
          removed: true,
        },
      ],
      absent: ['never_stored'],
    },
    {
      name: 'Cookie that the browser refuses',
      found: "cookie, `blocked` with the browser's reason",
      html: () => '',
      cookies: ['refused=1; SameSite=None'],
      truth: () => [{ kind: 'cookie', name: 'refused', host: MAIN, blocked: 'SameSiteNoneInsecure' }],
    },
  ],
  routes: {
    '/clash.js': (_request, response) =>
      text(response, 'text/javascript', `document.cookie = 'clash=first; max-age=86400'`),
    '/clash': setting(crossSite('clash')),
    '/passing': (_request, response) => void response.writeHead(204).end(),
    '/passing-third': setting(crossSite('passing_third')),
    '/passing-gone': setting('passing_third=; Max-Age=0; Secure; SameSite=None; Path=/'),
    '/third-party': setting(crossSite('third_party')),
    '/fetched': setting(crossSite('fetched')),
    '/partitioned': setting(`${crossSite('partitioned')}; Partitioned`),
    '/cname': setting('cname_cookie=1; Max-Age=86400; Domain=farm.example'),
    '/hop-one': redirect('hop_one', ['hop-two.example', '/hop-two']),
    '/hop-two': redirect('hop_two', ['ads.example', '/hop-end']),
    '/hop-end': setting(crossSite('hop_end')),
  },
};
