export const useCase = 0;
