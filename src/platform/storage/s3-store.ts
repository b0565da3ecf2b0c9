import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { ObjectOptions, ObjectStore, StorageSettings } from './storage-url.js';

type S3Settings = Extract<StorageSettings, { kind: 's3' }>;

/** Objects in an S3 bucket. Every request has a timeout. */
export class S3Store implements ObjectStore {
  private readonly client: S3Client;

  constructor(
    private readonly storage: S3Settings,
    private readonly timeoutMs: number,
  ) {
    this.client = new S3Client({
      region: storage.region,
      forcePathStyle: storage.pathStyle,
      ...(storage.endpoint && { endpoint: storage.endpoint }),
      // The outbox retries, with the latest configuration.
      maxAttempts: 1,
      // Waiting for "100 Continue" costs a round trip, and six seconds if a server never sends it.
      expectContinueHeader: false,
      // Servers other than Amazon's refuse unknown checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  /**
   * Sets no access list, which new buckets refuse: the bucket's policy determines what the CDN may
   * read.
   */
  async put(key: string, body: string | Uint8Array, options: ObjectOptions): Promise<void> {
    const command = new PutObjectCommand({
      ...this.objectOf(key),
      Body: body,
      ContentType: options.contentType,
      CacheControl: options.cacheControl,
      Metadata: options.metadata,
      ...(options.isNew && { IfNoneMatch: '*' }),
    });
    await this.client.send(command, this.bounded());
  }

  async read(key: string): Promise<Buffer> {
    const { Body } = await this.client.send(new GetObjectCommand(this.objectOf(key)), this.bounded());
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  }

  async deleteFolder(folder: string): Promise<void> {
    const { Bucket, Key } = this.objectOf(`${folder}/`);
    let isMore: boolean;
    do {
      // Lists from the start each time: the objects of the previous page are deleted.
      const page = await this.client.send(new ListObjectsV2Command({ Bucket, Prefix: Key }), this.bounded());
      const objects = (page.Contents ?? []).map((object) => ({ Key: object.Key }));
      if (objects.length === 0) return;
      const command = new DeleteObjectsCommand({ Bucket, Delete: { Objects: objects, Quiet: true } });
      const { Errors: failed = [] } = await this.client.send(command, this.bounded());
      if (failed.length > 0)
        throw new Error(
          `S3 did not delete ${failed.length} of ${objects.length} objects: ${failed[0]?.Code}`,
        );
      isMore = page.IsTruncated ?? false;
    } while (isMore);
  }

  close(): void {
    this.client.destroy();
  }

  private objectOf(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.storage.bucket, Key: `${this.storage.prefix}${key}` };
  }

  private bounded(): { abortSignal: AbortSignal } {
    return { abortSignal: AbortSignal.timeout(this.timeoutMs) };
  }
}
