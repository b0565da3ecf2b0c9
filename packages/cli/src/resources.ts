import {
  configurationRead,
  configurationSave,
  draftPreview,
  draftRead,
  draftSave,
  eventEndpointCreate,
  eventEndpointList,
  eventEndpointRead,
  eventEndpointRemove,
  eventEndpointUpdate,
  forwardingRead,
  forwardingSave,
  privacyRead,
  privacySave,
  scanScheduleRead,
  scanScheduleSave,
} from '@service/consent-client/api';
import { type Change, changesOf } from './changes.js';
import { type Content, editable, type ResourceName } from './schemas.js';
import { CliError, note } from './terminal.js';

/** How configurations are written. */
export interface WriteOptions {
  /** Publishes; false saves a draft. */
  publish: boolean;
  /** Publishes languages that lack texts. */
  confirmMissingTexts: boolean;
  comment: string | undefined;
}

/** What would change, and how to do exactly that. */
export interface Plan {
  changes: Change[];
  /** What people should know, in sentences. */
  warnings: string[];
  /** Refused with 412 `version_conflict` where the service has changed since the plan. */
  apply: () => Promise<void>;
}

export interface Resource {
  /** The state of the service as the content of its file. */
  read: (projectId: string) => Promise<Content>;
  plan: (projectId: string, wanted: Content, options: WriteOptions) => Promise<Plan>;
}

/** The types of the bodies are those of the schemas, which the files are checked against. */
type Body = never;

const asConfiguration = (response: unknown): Content => editable('configuration', response);

async function planConfiguration(
  projectId: string,
  wanted: Content,
  { publish, confirmMissingTexts, comment }: WriteOptions,
): Promise<Plan> {
  const path = { projectId };
  // The service fills in the defaults of what the file leaves out, and compares with what is published.
  const [saved, preview, draft] = await Promise.all([
    configurationRead({ path }),
    draftPreview({ path, body: wanted }),
    draftRead({ path }),
  ]);
  const { changes, missingTexts, regionRulesLeftOut } = preview.data;
  const warnings = missingTexts.map(
    ({ language, fields }) =>
      `${fields.length} texts are missing in "${language}"; visitors see English there.`,
  );
  if (regionRulesLeftOut) warnings.push('The plan does not include region rules; they are left out.');
  const waiting = draft.data.configuration;
  if (publish) {
    if (waiting) warnings.push('A draft that waits in the dashboard stays as it is.');
    const ifMatch = tagOf(saved.response);
    const body = { ...wanted, confirmMissingTexts, ...(comment !== undefined && { comment }) };
    return {
      changes,
      warnings,
      apply: async () => void (await configurationSave({ path, body, headers: ifMatch })),
    };
  }
  const isWaiting = waiting !== null && (await isSame(projectId, waiting, changes));
  if (isWaiting && changes.length > 0) warnings.push('A draft with these changes waits to be published.');
  const body = { ...wanted, basedOn: saved.data.version };
  return {
    changes: isWaiting ? [] : changes,
    warnings,
    apply: async () => void (await draftSave({ path, body, headers: tagOf(draft.response) })),
  };
}

/** Whether a draft makes just these changes. */
async function isSame(projectId: string, draft: unknown, changes: readonly Change[]): Promise<boolean> {
  const { data } = await draftPreview({ path: { projectId }, body: asConfiguration(draft) });
  return JSON.stringify(data.changes) === JSON.stringify(changes);
}

/** A resource whose PUT keeps what its body leaves out, or that has no optional members. */
function settings(
  name: ResourceName,
  read: (projectId: string) => Promise<{ data: unknown; response: Response }>,
  write: (projectId: string, body: Body, headers: Record<string, string>) => Promise<unknown>,
): Resource {
  return {
    read: async (projectId) => editable(name, (await read(projectId)).data),
    plan: async (projectId, wanted) => {
      const { data, response } = await read(projectId);
      return {
        changes: changesOf(editable(name, data), wanted),
        warnings: [],
        apply: async () => void (await write(projectId, wanted as Body, tagOf(response))),
      };
    },
  };
}

/** An endpoint in a file; its address names it. */
interface EndpointContent extends Content {
  url: string;
}

const endpointsOf = (content: Content): EndpointContent[] => content['endpoints'] as EndpointContent[];

async function planEvents(projectId: string, wanted: Content): Promise<Plan> {
  const { data } = await eventEndpointList({ path: { projectId } });
  const stored = endpointsOf(editable('events', { endpoints: data.items }));
  const byUrl = Map.groupBy(endpointsOf(wanted), ({ url }) => url);
  const [repeated] = [...byUrl].filter(([, endpoints]) => endpoints.length > 1);
  if (repeated) throw new CliError(`events.json names ${repeated[0]} twice.`);
  const changes: Change[] = [];
  const steps: (() => Promise<unknown>)[] = [];
  for (const [index, { id, url }] of data.items.entries()) {
    const path = { projectId, endpointId: id };
    const [body] = byUrl.get(url) ?? [];
    byUrl.delete(url);
    const found = body
      ? changesOf(stored[index], body, [url])
      : [{ path: [url], kind: 'removed' as const, before: 'endpoint', after: null }];
    if (found.length === 0) continue;
    changes.push(...found);
    const headers = tagOf((await eventEndpointRead({ path })).response);
    steps.push(() =>
      body ? eventEndpointUpdate({ path, body, headers }) : eventEndpointRemove({ path, headers }),
    );
  }
  for (const [url, [body]] of byUrl) {
    changes.push({ path: [url], kind: 'added', before: null, after: 'endpoint' });
    steps.push(() => createEndpoint(projectId, body as Body, url));
  }
  return {
    changes,
    warnings: [],
    apply: async () => {
      for (const step of steps) await step();
    },
  };
}

/** The secret goes only to a terminal: the output of CI is kept. */
async function createEndpoint(projectId: string, body: Body, url: string): Promise<void> {
  const { data } = await eventEndpointCreate({ path: { projectId }, body });
  note(
    process.stderr.isTTY
      ? `The signing secret of ${url}, shown only now: ${data.secret}`
      : `${url} has a signing secret. Rotate it in the dashboard to see it.`,
  );
}

function tagOf(response: Response): Record<string, string> {
  const etag = response.headers.get('etag');
  return etag === null ? {} : { 'If-Match': etag };
}

export const RESOURCE: Record<ResourceName, Resource> = {
  configuration: {
    read: async (projectId) => asConfiguration((await configurationRead({ path: { projectId } })).data),
    plan: planConfiguration,
  },
  forwarding: settings(
    'forwarding',
    (projectId) => forwardingRead({ path: { projectId } }),
    (projectId, body, headers) => forwardingSave({ path: { projectId }, body, headers }),
  ),
  events: {
    read: async (projectId) => {
      const { data } = await eventEndpointList({ path: { projectId } });
      return editable('events', { endpoints: data.items });
    },
    plan: planEvents,
  },
  privacy: settings(
    'privacy',
    (projectId) => privacyRead({ path: { projectId } }),
    (projectId, body, headers) => privacySave({ path: { projectId }, body, headers }),
  ),
  'scan-schedule': settings(
    'scan-schedule',
    (projectId) => scanScheduleRead({ path: { projectId } }),
    (projectId, body, headers) => scanScheduleSave({ path: { projectId }, body, headers }),
  ),
};
