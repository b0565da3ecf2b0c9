/** Our banner's script (docs/loader.md). It exposes one function to the loader, as a member of its script element. */
import { pristineDocument } from '../pristine-document';
import type { ShowBanner } from '../site';
import { showBanner } from './show-banner';

(pristineDocument('currentScript') as unknown as { show: ShowBanner }).show = showBanner;
