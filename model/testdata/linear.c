/* Prints the prediction, the decision values and, of logistic regression, the probabilities that LIBLINEAR gives each
   line of a data file:
     linear MODEL DATA
   Built by liblinear_test.go against Debian's liblinear-dev. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linear.h>

int main(int argc, char **argv)
{
	struct model *model;
	FILE *data;
	static char line[1 << 20];
	static struct feature_node x[1 << 16];
	double values[1024];

	if (argc != 3 || !(model = load_model(argv[1])) || !(data = fopen(argv[2], "r")))
		return 1;
	int k = get_nr_class(model), columns = k == 2 && model->param.solver_type != MCSVM_CS ? 1 : k;
	while (fgets(line, sizeof line, data)) {
		int n = 0;
		strtok(line, " \t\n");
		for (char *pair; (pair = strtok(NULL, " \t\n"));) {
			char *end;
			x[n].index = strtol(pair, &end, 10);
			x[n++].value = strtod(end + 1, NULL);
		}
		if (model->bias >= 0) {
			x[n].index = get_nr_feature(model) + 1;
			x[n++].value = model->bias;
		}
		x[n].index = -1;
		printf("%.17g", predict_values(model, x, values));
		for (int i = 0; i < columns; i++)
			printf(" %.17g", values[i]);
		if (check_probability_model(model)) {
			predict_probability(model, x, values);
			for (int i = 0; i < k; i++)
				printf(" %.17g", values[i]);
		}
		printf("\n");
	}
	return 0;
}
