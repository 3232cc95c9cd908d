/* Prints the label and the decision values that libsvm gives each line of a data file:
     decisions MODEL DATA
   Built by libsvm_peer_test.go against Debian's libsvm-dev. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libsvm/svm.h>

int main(int argc, char **argv)
{
	struct svm_model *model;
	FILE *data;
	static char line[1 << 20];
	static struct svm_node x[1 << 16];
	double values[1024];

	if (argc != 3 || !(model = svm_load_model(argv[1])) || !(data = fopen(argv[2], "r")))
		return 1;
	int k = svm_get_nr_class(model);
	while (fgets(line, sizeof line, data)) {
		int n = 0;
		strtok(line, " \t\n");
		for (char *pair; (pair = strtok(NULL, " \t\n"));) {
			char *end;
			x[n].index = strtol(pair, &end, 10);
			x[n++].value = strtod(end + 1, NULL);
		}
		x[n].index = -1;
		printf("%.17g", svm_predict_values(model, x, values));
		for (int i = 0; i < k * (k - 1) / 2; i++)
			printf(" %.17g", values[i]);
		printf("\n");
	}
	return 0;
}
