/** Our banner's script (docs/loader.md). It hands the loader one function, as a member of its own script element. */
import { ofDocument } from '../own-document';
import type { ShowBanner } from '../site';
import { showBanner } from './show-banner';

(ofDocument('currentScript') as unknown as { show: ShowBanner }).show = showBanner;
