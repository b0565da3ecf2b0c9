const API_PREFIX = '/v1';

/** JSON Schema of a member of `data`. */
type FieldSchema = { description: string } & (
  | { type: 'integer'; minimum: number }
  | { type: 'boolean' }
  | { type: 'string'; format?: 'date-time' | 'uuid'; enum?: readonly string[] }
);

/** An event type: its documentation, the address of the current state, and its further members of `data`. */
interface EventType {
  /** Types are grouped by the part before the dot; this is the sentence of the documents. */
  summary: string;
  /** What `data.id` identifies. */
  subject: string;
  /** Below the project's address; `:id` is `data.id`. */
  path: string;
  fields: Record<string, FieldSchema>;
  /** Values of the example. */
  example: Record<string, unknown> & { id: string };
}

const UUID = '01938c5e-7a3b-7c11-9f00-4d2a6b8c0e13';
const PROJECT = '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f';
const TIERS = ['lite', 'pro', 'business', 'enterprise'] as const;
const ROLES = ['viewer', 'editor', 'owner'] as const;
const IMPORT_ENDS = ['finished', 'failed', 'canceled'] as const;
const PROBLEMS = ['records', 'storage'] as const;

/**
 * All event types. Stable once released: endpoints name them, one by one. A new type reaches no endpoint that does
 * not name it. `data` has no personal data, no secrets, and no texts of others: receivers read the state at `data.url`.
 */
const EVENT_TYPES = {
  'configuration.published': {
    summary: 'A configuration was published: the CDN serves it.',
    subject: 'the hash of the published document',
    path: '/configuration/published/:id',
    fields: { tier: { type: 'string', enum: TIERS, description: 'Tier that it was published for' } },
    example: { id: '3f2a9c1b7d5e4f60', tier: 'pro' },
  },
  'configuration.publish_failed': {
    summary: 'Publishing a configuration failed. It is tried again; the CDN serves the former one.',
    subject: 'the project',
    path: '/configuration',
    fields: {},
    example: { id: PROJECT },
  },
  'forwarding.held': {
    summary: 'The receiver of consent records is unavailable. Records wait.',
    subject: 'the project',
    path: '/forwarding',
    fields: { heldSince: { type: 'string', format: 'date-time', description: 'Start of the hold' } },
    example: { id: PROJECT, heldSince: '2026-12-01T09:30:00.000Z' },
  },
  'forwarding.resumed': {
    summary: 'The receiver of consent records is available again. Waiting records are sent.',
    subject: 'the project',
    path: '/forwarding',
    fields: { heldSince: { type: 'string', format: 'date-time', description: 'Start of the hold' } },
    example: { id: PROJECT, heldSince: '2026-12-01T09:30:00.000Z' },
  },
  'forwarding.undelivered': {
    summary: 'Consent records were not delivered. Sent at most once a day.',
    subject: 'the project',
    path: '/forwarding/deliveries/undelivered',
    fields: {
      records: { type: 'integer', minimum: 1, description: 'Records, counted up to 1,000' },
      more: { type: 'boolean', description: 'Whether there are more' },
    },
    example: { id: PROJECT, records: 12, more: false },
  },
  'erasure.completed': {
    summary: 'All records of an erasure are erased.',
    subject: 'the erasure',
    path: '/erasures/:id',
    fields: { erased: { type: 'integer', minimum: 0, description: 'Erased records' } },
    example: { id: UUID, erased: 3 },
  },
  'import.finished': {
    summary: 'An import of historic consents has ended.',
    subject: 'the import',
    path: '/imports/:id',
    fields: {
      state: { type: 'string', enum: IMPORT_ENDS, description: 'How it ended' },
      stored: { type: 'integer', minimum: 0, description: 'Stored records' },
      repeated: { type: 'integer', minimum: 0, description: 'Records that were stored before' },
      refused: { type: 'integer', minimum: 0, description: 'Refused rows' },
    },
    example: { id: UUID, state: 'finished', stored: 12_402, repeated: 0, refused: 31 },
  },
  'scan.finished': {
    summary: 'A scan has ended, and its findings are known.',
    subject: 'the scan',
    path: '/scans/:id',
    fields: {},
    example: { id: UUID },
  },
  'scan.finding_opened': {
    summary: 'A scan found something that the scan before did not find.',
    subject: 'the finding',
    path: '/findings',
    fields: { scanId: { type: 'string', format: 'uuid', description: 'The scan that found it' } },
    example: { id: UUID, scanId: '01938c5e-7a3b-7c11-9f00-7c3e5a9b1d24' },
  },
  'scan.loader_missing': {
    summary: 'A scan found pages without the loader.',
    subject: 'the scan',
    path: '/scans/:id',
    fields: {},
    example: { id: UUID },
  },
  'custom_domain.active': {
    summary: 'A custom domain serves requests.',
    subject: 'the custom domain',
    path: '/domains/:id',
    fields: {},
    example: { id: UUID },
  },
  'custom_domain.failing': {
    summary: "A check of a custom domain's DNS records failed.",
    subject: 'the custom domain',
    path: '/domains/:id',
    fields: {},
    example: { id: UUID },
  },
  'member.joined': {
    summary: 'A person became a member of the project.',
    subject: 'the user',
    path: '/members/:id',
    fields: { role: { type: 'string', enum: ROLES, description: 'Role of the member' } },
    example: { id: UUID, role: 'editor' },
  },
  'member.left': {
    summary: 'A member left the project or was removed.',
    subject: 'the user',
    path: '/members',
    fields: {},
    example: { id: UUID },
  },
  'api_key.created': {
    summary: 'An API key was created.',
    subject: 'the API key',
    path: '/api-keys/:id',
    fields: { role: { type: 'string', enum: ROLES, description: 'Role of the key' } },
    example: { id: UUID, role: 'viewer' },
  },
  'api_key.revoked': {
    summary: 'An API key was revoked.',
    subject: 'the API key',
    path: '/api-keys/:id',
    fields: {},
    example: { id: UUID },
  },
  'tier.changed': {
    summary: 'The effective tier of the project changed.',
    subject: 'the project',
    path: '/tier',
    fields: {
      from: { type: 'string', enum: TIERS, description: 'Former tier' },
      to: { type: 'string', enum: TIERS, description: 'New tier' },
    },
    example: { id: PROJECT, from: 'lite', to: 'pro' },
  },
  'evidence.problem': {
    summary: 'A check of the evidence log found a problem.',
    subject: 'the project',
    path: '/log',
    fields: {
      kind: {
        type: 'string',
        enum: PROBLEMS,
        description: 'Whether stored records or the storage of the log differ from what was signed',
      },
    },
    example: { id: PROJECT, kind: 'records' },
  },
  'test.ping': {
    summary:
      'A test of an endpoint. Sent only by its Test, to that endpoint, whether it lists the type or not.',
    subject: 'the event endpoint',
    path: '/event-endpoints/:id',
    fields: {},
    example: { id: UUID },
  },
} as const satisfies Record<string, EventType>;

export type EventTypeName = keyof typeof EVENT_TYPES;
export const EVENT_TYPE_NAMES = Object.keys(EVENT_TYPES) as [EventTypeName, ...EventTypeName[]];

type ValueOf<Schema> = Schema extends { type: 'integer' }
  ? number
  : Schema extends { type: 'boolean' }
    ? boolean
    : Schema extends { enum: readonly (infer Value)[] }
      ? Value
      : Schema extends { format: 'date-time' }
        ? Date
        : string;

/** An event to write, with the members of `data` that its type has. */
export type NewEvent = {
  [Name in EventTypeName]: {
    type: Name;
    /** `data.id`: the subject of the event. */
    id: string;
    data: {
      -readonly [Field in keyof (typeof EVENT_TYPES)[Name]['fields']]: ValueOf<
        (typeof EVENT_TYPES)[Name]['fields'][Field]
      >;
    };
  };
}[EventTypeName];

/** An event type as the API shows it. */
export interface CatalogueEntry {
  type: EventTypeName;
  /** The part of its name before the dot. */
  group: string;
  summary: string;
  /** JSON Schema (draft 2020-12) of the request's body. */
  schema: Record<string, unknown>;
  example: Record<string, unknown>;
}

/** The catalogue, with addresses that begin with `baseUrl`. */
export function catalogue(baseUrl: string): CatalogueEntry[] {
  return EVENT_TYPE_NAMES.map((type) => {
    const { summary, example } = EVENT_TYPES[type];
    return {
      type,
      group: type.split('.')[0] ?? '',
      summary,
      schema: schemaOf(type),
      example: {
        type,
        timestamp: '2026-12-01T09:30:00.000Z',
        data: dataOf({ projectId: PROJECT, type, data: example }, baseUrl),
      },
    };
  });
}

/** The stored `data` of a type's example, for a project. */
export function exampleData(
  type: EventTypeName,
  projectId: string,
): Record<string, unknown> & { id: string } {
  const { example } = EVENT_TYPES[type];
  return { ...example, id: example.id === PROJECT ? projectId : example.id };
}

/** `data` of an event: the project, the stored members and the address of the current state. */
export function dataOf(
  {
    projectId,
    type,
    data,
  }: { projectId: string; type: EventTypeName; data: Record<string, unknown> & { id: string } },
  baseUrl: string,
): Record<string, unknown> {
  const { id, ...fields } = data;
  const path = EVENT_TYPES[type].path.replace(':id', encodeURIComponent(id));
  return { projectId, id, url: `${baseUrl}${API_PREFIX}/projects/${projectId}${path}`, ...fields };
}

function schemaOf(type: EventTypeName): Record<string, unknown> {
  const { subject, summary, fields } = EVENT_TYPES[type];
  const properties = {
    projectId: { type: 'string', format: 'uuid', description: 'The project' },
    id: { type: 'string', description: `Id of ${subject}` },
    url: { type: 'string', format: 'uri', description: 'Address of the current state in the API' },
    ...fields,
  };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: type,
    description: summary,
    type: 'object',
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { const: type },
      timestamp: { type: 'string', format: 'date-time', description: 'When the event was written' },
      data: { type: 'object', required: Object.keys(properties), properties },
    },
  };
}
