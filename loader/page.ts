/**
 * Facts about the page that are known while the script runs: the script's address, and the project.
 */
import { pristineDocument } from './pristine-document';

/** null in a module; `start` stops there, so everything after it may rely on the element. */
export const loaderScript = pristineDocument('currentScript') as HTMLScriptElement;
/** The loader's own address. Configuration and banner are beside it. */
export const base = loaderScript?.src;
export const projectId = loaderScript?.dataset.projectId ?? /([\da-f-]{36})\/[^/]*$/i.exec(base)?.[1] ?? '';

export const storageKey = (name: string): string => `${META_GLOBAL}:${projectId}:${name}`;
