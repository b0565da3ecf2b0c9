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
