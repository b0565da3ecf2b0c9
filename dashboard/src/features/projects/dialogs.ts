/** Dialogs about several projects, loaded together: they share most of their code with each other, and with no page. */
export { CopyDialog } from '../banner/copy-dialog';
export { CopyBannerDialog } from './copy-banner-dialog';
export { PublishDraftsDialog } from './publish-drafts-dialog';
