/** The texts of a mode: the question or notice, and the labels of the two buttons. */
import type { Category } from '../site';
import { describeCategory, modeOf, type Prompt } from './prompt';

export interface Words {
  title: string;
  description: string;
  accept: string;
  reject: string;
}

export function wordsOf(prompt: Prompt): Words {
  const words = modeWords(prompt);
  const { services, categories } = prompt.configuration;
  const partners = services.filter(({ category }) => (categories as string[]).includes(category)).length;
  return { ...words, description: words.description.replace('{partners}', String(partners)) };
}

/** Documents of older versions only have texts for `opt_in`, which are then used for all modes. */
function modeWords(prompt: Prompt): Words {
  const { text, reason, informs, consent, configuration } = prompt;
  const { labels, title, description, acceptAll, rejectAll } = text;
  const asked: Words = { title, description, accept: acceptAll, reject: rejectAll };
  if (reason === 'signal')
    return {
      ...asked,
      title: labels.signalTitle ?? title,
      description: labels.signalHonoured ?? '',
      reject: labels.optOutReject ?? rejectAll,
    };
  if (informs)
    return {
      ...asked,
      title: labels.noticeTitle ?? title,
      description: labels.noticeDescription ?? description,
    };
  const isIn = (key: Category): boolean => modeOf(consent, key) === 'opt_in';
  if (configuration.categories.some(isIn)) {
    const on = configuration.categories.filter((key) => !isIn(key));
    const titles = on.map((key) => describeCategory(prompt, key).title).join(', ');
    const note = labels.mixedNote?.replace('{categories}', titles);
    return on.length > 0 && note ? { ...asked, description: `${description} ${note}` } : asked;
  }
  return {
    title: labels.optOutTitle ?? title,
    description: labels.optOutDescription ?? description,
    accept: labels.optOutAccept ?? acceptAll,
    reject: labels.optOutReject ?? rejectAll,
  };
}
