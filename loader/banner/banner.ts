/** Our banner's script (docs/loader.md). It exposes two functions to the loader, as members of its script element. */
import { pristineDocument } from '../pristine-document';
import type { BannerScript } from '../site';
import { start } from './page-work';
import { showBanner } from './show-banner';

Object.assign(pristineDocument('currentScript') as BannerScript, { show: showBanner, start });
