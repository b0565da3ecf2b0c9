import { MAIN, type TechniqueGroup, text } from './technique.js';

/** Storages of the page, of its frames and of its workers. */
export const STORAGES: TechniqueGroup = {
  path: '/storages',
  techniques: [
    {
      name: '`localStorage.setItem`',
      found: 'entry, with the script',
      html: () => `<script>localStorage.setItem('local_entry', '1')</script>`,
      truth: ({ host }) => [
        { kind: 'local_storage', name: 'local_entry', host: host(MAIN), initiator: `${host(MAIN)}/storages` },
      ],
    },
    {
      name: '`localStorage` by assignment',
      found: 'entry, without the script',
      html: () => `<script>localStorage.assigned_entry = '1'</script>`,
      truth: ({ host }) => [{ kind: 'local_storage', name: 'assigned_entry', host: host(MAIN) }],
    },
    {
      name: 'Entries of one name in frames of two sites',
      found: 'both entries, each with its script',
      html: ({ https }) =>
        `<script src="${https('tags.example', '/same-key.js')}"></script><iframe src="${https('ads.example', '/same-key-frame')}"></iframe>`,
      truth: ({ host }) => [
        {
          kind: 'local_storage',
          name: 'same_key',
          host: host(MAIN),
          setBy: 'script',
          initiator: `${host('tags.example')}/same-key.js`,
        },
        {
          kind: 'local_storage',
          name: 'same_key',
          host: host('ads.example'),
          setBy: 'script',
          initiator: `${host('ads.example')}/same-key-frame`,
        },
      ],
    },
    {
      name: 'Entry that is set and removed',
      found: 'entry, `removed`',
      html: () =>
        `<script>localStorage.setItem('passing_entry', 'visitor'); localStorage.removeItem('passing_entry')</script>`,
      truth: ({ host }) => [
        {
          kind: 'local_storage',
          name: 'passing_entry',
          host: host(MAIN),
          thirdParty: false,
          setBy: 'script',
          removed: true,
          initiator: `${host(MAIN)}/storages`,
        },
      ],
    },
    {
      name: '`sessionStorage`',
      found: 'entry, with the script',
      html: () => `<script>sessionStorage.setItem('session_entry', '1')</script>`,
      truth: ({ host }) => [{ kind: 'session_storage', name: 'session_entry', host: host(MAIN) }],
    },
    {
      name: 'IndexedDB',
      found: 'database',
      html: () => `<script>indexedDB.open('page_database')</script>`,
      truth: ({ host }) => [{ kind: 'indexed_db', name: 'page_database', host: host(MAIN) }],
    },
    {
      name: 'IndexedDB of a worker',
      found: 'database',
      html: () => `<script>new Worker('/database-worker.js')</script>`,
      truth: ({ host }) => [{ kind: 'indexed_db', name: 'worker_database', host: host(MAIN) }],
    },
    {
      name: 'Storage in a frame of another site',
      found: 'entry of the other site',
      html: ({ https }) => `<iframe src="${https('ads.example', '/storing-frame')}"></iframe>`,
      truth: ({ host }) => [
        { kind: 'local_storage', name: 'frame_entry', host: host('ads.example'), thirdParty: true },
        { kind: 'indexed_db', name: 'frame_database', host: host('ads.example'), thirdParty: true },
      ],
    },
  ],
  routes: {
    '/same-key.js': (_request, response) =>
      text(response, 'text/javascript', `localStorage.setItem('same_key', 'own')`),
    '/same-key-frame': (_request, response) =>
      text(response, 'text/html', `<script>localStorage.setItem('same_key', 'third')</script>`),
    '/database-worker.js': (_request, response) =>
      text(response, 'text/javascript', `indexedDB.open('worker_database')`),
    '/storing-frame': (_request, response) =>
      text(
        response,
        'text/html',
        `<script>localStorage.setItem('frame_entry', '1'); indexedDB.open('frame_database')</script>`,
      ),
  },
};
