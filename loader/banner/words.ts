/** The texts of a mode: what is asked, or said, and how the two answers are labeled. */
import type { Prompt } from './prompt';

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

/** Documents of older versions have texts for `opt_in` alone, which are then used for all modes. */
function modeWords({ text, reason, informs, consent: { mode } }: Prompt): Words {
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
  if (mode !== 'opt_out') return asked;
  return {
    title: labels.optOutTitle ?? title,
    description: labels.optOutDescription ?? description,
    accept: labels.optOutAccept ?? acceptAll,
    reject: labels.optOutReject ?? rejectAll,
  };
}
