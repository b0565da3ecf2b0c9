/**
 * The banner's part for sites whose visitors choose by service, which only they load (docs/loader.md). It exposes its
 * functions to the banner, as a member of its script element.
 */
import { pristineDocument } from '../pristine-document';
import type { ServiceScript } from '../site';
import { allow, complete, current } from './grants';
import { addSearch, addSwitches } from './service-list';

Object.assign(pristineDocument('currentScript') as unknown as ServiceScript, {
  services: { allow, complete, current, addSwitches, addSearch },
});
