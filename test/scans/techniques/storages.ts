import { COLLECTORS, MAIN, type TechniqueGroup, text } from './technique.js';

/** Storages of the page, of its frames and of its workers. */
export const STORAGES: TechniqueGroup = {
  path: '/storages',
  techniques: [
    {
      name: '`localStorage.setItem`',
      found: 'entry, with the script',
      collector: COLLECTORS.storage,
      html: () => `<script>localStorage.setItem('local_entry', '1')</script>`,
      truth: ({ host }) => [
        { kind: 'local_storage', name: 'local_entry', host: host(MAIN), initiator: `${host(MAIN)}/storages` },
      ],
    },
    {
      name: '`localStorage` by assignment',
      found: 'entry, without the script',
      collector: COLLECTORS.storage,
      html: () => `<script>localStorage.assigned_entry = '1'</script>`,
      truth: ({ host }) => [{ kind: 'local_storage', name: 'assigned_entry', host: host(MAIN) }],
    },
    {
      name: '`sessionStorage`',
      found: 'entry, with the script',
      collector: COLLECTORS.storage,
      html: () => `<script>sessionStorage.setItem('session_entry', '1')</script>`,
      truth: ({ host }) => [{ kind: 'session_storage', name: 'session_entry', host: host(MAIN) }],
    },
    {
      name: 'IndexedDB',
      found: 'database',
      collector: COLLECTORS.storage,
      html: () => `<script>indexedDB.open('page_database')</script>`,
      truth: ({ host }) => [{ kind: 'indexed_db', name: 'page_database', host: host(MAIN) }],
    },
    {
      name: 'IndexedDB of a worker',
      found: 'database',
      collector: COLLECTORS.storage,
      html: () => `<script>new Worker('/database-worker.js')</script>`,
      truth: ({ host }) => [{ kind: 'indexed_db', name: 'worker_database', host: host(MAIN) }],
    },
    {
      name: 'Storage in a frame of another site',
      found: 'entry of the other site',
      collector: COLLECTORS.storage,
      html: ({ https }) => `<iframe src="${https('ads.example', '/storing-frame')}"></iframe>`,
      truth: ({ host }) => [
        { kind: 'local_storage', name: 'frame_entry', host: host('ads.example'), thirdParty: true },
        { kind: 'indexed_db', name: 'frame_database', host: host('ads.example'), thirdParty: true },
      ],
    },
  ],
  routes: {
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
