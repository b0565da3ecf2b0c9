import { fileURLToPath } from 'node:url';
import type { Refuse } from '../settings/declare-settings.js';

/** The location of objects. S3 credentials come from the AWS SDK's own environment. */
export type StorageSettings =
  | { kind: 'folder'; path: string }
  | {
      kind: 's3';
      bucket: string;
      /** Prefix of every key, with its slash; empty: none. */
      prefix: string;
      /** Empty: Amazon's own. */
      endpoint: string;
      region: string;
      /** `endpoint/bucket/key` rather than `bucket.endpoint/key`. */
      pathStyle: boolean;
    };

/** The region that S3-compatible servers without regions expect in signatures. */
const STORAGE_REGION_DEFAULT = 'us-east-1';
const STORAGE_PARAMETERS = ['endpoint', 'region', 'pathStyle'];

/** The value of a setting: `file:///folder`, or `s3://bucket/prefix?endpoint=…&region=…&pathStyle=…`. */
export function parseStorageUrl(raw: string, refuse: Refuse): StorageSettings | undefined {
  const url = URL.canParse(raw) ? new URL(raw) : null;
  if (url?.protocol === 'file:' && url.hostname === '') return { kind: 'folder', path: fileURLToPath(url) };
  const problem = problemOfS3Url(url);
  if (problem || !url) {
    // The URL itself is not repeated, because it may contain a password.
    refuse(problem ?? 'must be a file: or s3: URL.');
    return undefined;
  }
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
  const endpoint = url.searchParams.get('endpoint') ?? '';
  return {
    kind: 's3',
    bucket: url.hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint,
    region: url.searchParams.get('region') ?? STORAGE_REGION_DEFAULT,
    // Servers other than Amazon's seldom have a host name per bucket.
    pathStyle: (url.searchParams.get('pathStyle') ?? String(endpoint !== '')) === 'true',
  };
}

/** The problem of an `s3:` URL, as the end of a sentence; null: it is valid. */
function problemOfS3Url(url: URL | null): string | null {
  if (url?.protocol !== 's3:') return 'must be a file: or s3: URL.';
  if (url.username || url.password) {
    return 'must not contain credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead.';
  }
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname))
    return 'must name a bucket: s3://bucket/prefix.';
  const unknown = [...url.searchParams.keys()].filter((key) => !STORAGE_PARAMETERS.includes(key));
  if (unknown.length > 0) return `supports only the parameters ${STORAGE_PARAMETERS.join(', ')}.`;
  const endpoint = url.searchParams.get('endpoint');
  if (endpoint !== null && !/^https?:\/\/[^/?#]+\/?$/.test(endpoint)) {
    return 'has an endpoint that is not an http or https origin.';
  }
  const pathStyle = url.searchParams.get('pathStyle');
  if (pathStyle !== null && pathStyle !== 'true' && pathStyle !== 'false') {
    return 'has a pathStyle other than true or false.';
  }
  return null;
}

export interface ObjectOptions {
  contentType: string;
  cacheControl: string;
  /** Stored with the object (`x-amz-meta-…`); a folder does not support it. */
  metadata?: Record<string, string>;
  /** Fails with `ObjectExistsError` if the object exists. */
  isNew?: boolean;
}

/** A storage for objects: a folder or an S3 bucket. */
export interface ObjectStore {
  /** @throws Error if `isNew` is set and the object exists. */
  put(key: string, body: string | Uint8Array, options: ObjectOptions): Promise<void>;
  /** @throws Error if the object does not exist. */
  read(key: string): Promise<Buffer>;
  /** Deletes all objects of a folder. */
  deleteFolder(folder: string): Promise<void>;
  close(): void;
}
