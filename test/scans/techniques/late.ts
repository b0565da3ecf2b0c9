import { COLLECTORS, MAIN, type TechniqueGroup, text } from './technique.js';

/** What happens only after some seconds, or when a visitor scrolls or clicks. */
export const LATE: TechniqueGroup = {
  path: '/late',
  techniques: [
    {
      name: 'Cookie that is set after 5 s',
      found: 'cookie, in the states',
      collector: COLLECTORS.cookieHook,
      html: () =>
        `<script>setTimeout(() => { document.cookie = 'after_5_s=1; max-age=86400' }, 5000)</script>`,
      truth: () => [{ kind: 'cookie', name: 'after_5_s', host: MAIN, setBy: 'script' }],
    },
    {
      name: 'Cookie that is set on scroll',
      found: 'cookie, in the states',
      collector: COLLECTORS.cookieHook,
      html: () =>
        `<div style="height: 6000px"></div><script>addEventListener('scroll', () => { document.cookie = 'on_scroll=1; max-age=86400' }, { once: true })</script>`,
      truth: () => [{ kind: 'cookie', name: 'on_scroll', host: MAIN, setBy: 'script' }],
    },
    {
      name: 'Image that loads when it is scrolled to (`loading="lazy"`)',
      found: 'request, in the states',
      collector: COLLECTORS.request,
      html: ({ https }) => `<img loading="lazy" width="9" height="9" src="${https('ads.example', '/lazy')}">`,
      truth: ({ host }) => [{ kind: 'request', name: '/lazy', host: host('ads.example'), type: 'image' }],
    },
    {
      name: 'Cookie that is set on a click that is no consent',
      found: 'nothing: only consent controls are clicked',
      collector: 'none',
      html: () => `<button onclick="document.cookie = 'on_click=1; max-age=86400'">Add to cart</button>`,
      truth: () => [],
      absent: ['on_click'],
    },
  ],
};

export const MOVED: TechniqueGroup = {
  path: '/moves-on',
  techniques: [
    {
      name: 'Page that moves on by script',
      found: 'cookie of the page that it leads to',
      collector: COLLECTORS.cookieHook,
      html: () => `<script>location.replace('/moved')</script>`,
      truth: () => [{ kind: 'cookie', name: 'moved', host: MAIN, setBy: 'script' }],
    },
  ],
  routes: {
    '/moved': (_request, response, { loaderTag }) =>
      text(response, 'text/html', `${loaderTag}<script>document.cookie = 'moved=1; max-age=86400'</script>`),
  },
};
