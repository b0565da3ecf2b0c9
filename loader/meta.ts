import { configuration, isEu, region } from './configuration';
import { setGtag } from './google-consent';
import { projectId } from './page';
import { pristineDocument } from './pristine-document';

let meta: object;

/**
 * Sets Google's options and `window.serviceMeta`; `resolve` gets it before the event is dispatched. Called again where the
 * configuration arrives late.
 */
export const publishMeta = (resolve: (meta: object) => void): void => {
  setGtag();
  const domain = location.hostname;
  // Hosts that website builders use for previews are always `lite` (spec §3.2 row 1).
  const preview = domain.match(configuration?.previewHosts ?? '^$');
  const { tier = 'lite', features = {} } = (preview ? configuration?.preview : configuration) ?? {};
  meta = Object.freeze({
    tier,
    region,
    isEu: isEu(),
    domain,
    projectId,
    configHash: configuration?.configHash ?? '',
    features: Object.freeze(features),
  });
  // Has no effect where the page has defined a global of this name that cannot be changed, or where this has defined it.
  Reflect.defineProperty(window, META_GLOBAL, { get: () => meta });
  resolve(meta);
  pristineDocument('dispatchEvent')(new CustomEvent(`${META_GLOBAL}:ready`, { detail: meta, bubbles: true }));
};
