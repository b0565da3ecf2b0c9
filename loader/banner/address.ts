import { pristineDocument } from '../pristine-document';

/** The banner's own address, to which other addresses are relative. */
export const bannerAddress = (pristineDocument('currentScript') as HTMLScriptElement).src;
