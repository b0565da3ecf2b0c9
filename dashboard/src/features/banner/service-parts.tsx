/** Parts of the editor's services that are loaded after the page, together. */
export { CommonServiceSelect } from './common-services/common-service-select';
export { ServiceChoice } from './service-choice';
