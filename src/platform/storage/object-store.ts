export interface ObjectOptions {
  contentType: string;
  cacheControl: string;
  /** Stands beside the object (`x-amz-meta-…`); a folder has no place for it. */
  metadata?: Record<string, string>;
  /** Fails with `ObjectExistsError` where there is an object already. */
  isNew?: boolean;
}

/** Where objects are stored: a folder or an S3 bucket. */
export interface ObjectStore {
  /** @throws Error where `isNew` is set and the object exists. */
  put(key: string, body: string | Uint8Array, options: ObjectOptions): Promise<void>;
  /** @throws Error where the object does not exist. */
  read(key: string): Promise<Buffer>;
  /** Deletes all objects of a folder. */
  deleteFolder(folder: string): Promise<void>;
  close(): void;
}
