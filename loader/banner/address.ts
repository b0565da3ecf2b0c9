import { pristineDocument } from '../pristine-document';

/** The banner's own address, to which other addresses are relative, and the nonce of its script. */
export const { src: bannerAddress, nonce: bannerNonce } = pristineDocument(
  'currentScript',
) as HTMLScriptElement;
