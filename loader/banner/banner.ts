/** Our banner's script (docs/loader.md). It exposes one function to the loader, as a member of its script element. */
import { ofDocument } from '../own-document';
import type { ShowBanner } from '../site';
import { showBanner } from './show-banner';

(ofDocument('currentScript') as unknown as { show: ShowBanner }).show = showBanner;
